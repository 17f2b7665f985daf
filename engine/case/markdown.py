"""stub"""
from .facts import Case
def markdown(case: Case) -> str:
    return "x"
