def claims(record):
    return []
