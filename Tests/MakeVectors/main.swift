print("laid out")
