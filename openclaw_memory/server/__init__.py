"""Long-lived processes over one workspace: the tools for agents (MCP) and the warm search server. Imports nothing."""
