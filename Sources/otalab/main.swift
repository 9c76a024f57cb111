print("otalab")
