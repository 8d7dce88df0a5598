"""What hermes-webui keeps on the disk, read as it lies there and never changed."""
