"""Chapter 10b: new distances or more keys?"""
