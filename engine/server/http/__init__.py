"""What every route does alike: read a request strictly, answer, refuse."""
