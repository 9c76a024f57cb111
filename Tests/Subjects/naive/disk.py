"""Writing that survives a power cut: contents are synced before a rename gives them their name."""

import os

import bugs


def sync_folder(folder):
    """Makes names in the folder durable."""
    if bugs.has("no-fsync"):
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(file):
    """Makes the bytes of an open file durable."""
    file.flush()
    if not bugs.has("no-fsync"):
        os.fsync(file.fileno())


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
        sync_file(file)


def replace(path, data):
    """After it the file has its new content; whatever ends it half-way, the old or the new one."""
    if bugs.has("settings-in-place"):
        path.write_bytes(data)
        return
    temporary = path.with_name(path.name + ".new")
    write(temporary, data)
    os.replace(temporary, path)
    sync_folder(path.parent)
