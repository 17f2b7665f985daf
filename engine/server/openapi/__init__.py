"""The OpenAPI document, from the operations."""
