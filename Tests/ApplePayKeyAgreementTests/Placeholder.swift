// Laid out; filled by the next commits.
