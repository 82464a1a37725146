"""`make release`: what has to be true before a version is tagged, and the tag."""
