"""What the API takes and gives, as values: checked at the border, and the source of the OpenAPI description.

Records, items and the session itself are the values of `core`; here is only what the wire adds.
"""
