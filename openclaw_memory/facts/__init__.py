"""What a fact is, in whatever coat it is written, and how hot it is: what knowledge and retrieval both go by.

Pure but for `temperatures`; writes nothing, and knows no store and no index. Import the module you need.
"""
