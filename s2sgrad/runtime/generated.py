"""The module that all generated code names as its own.

numba imports the module of a function when it loads machine code from a cache. One real, empty module serves every generated function;
nothing is ever stored in it.
"""
