import Core
import ScenarioLanguage
import Testing
import World

@Suite("The rows of the crash model's table, in the profile that orders least")
struct DiskMicroOperationTests {
    @Test("A new file's name can be lost though its content was synced")
    func createdName() throws {
        var disk = SimulatedDisk()
        try disk.make("a", "new", isSynced: true)
        #expect(disk.pictures == ["", "a=new"])
    }

    @Test("A new file whose content was not synced can be empty, whole, zeros, or not there")
    func createdContent() throws {
        var disk = SimulatedDisk()
        try disk.make("a", "new")
        #expect(disk.pictures == ["", "a=", "a=...", "a=new"])
    }

    @Test("With its content and its directory synced a file is there after every cut")
    func createdDurably() throws {
        var disk = SimulatedDisk()
        try disk.make("a", "new", isSynced: true)
        try disk.syncDirectory(data(""))
        #expect(disk.pendingCount == 0)
        #expect(disk.pictures == ["a=new"])
    }

    @Test("Blocks of one write survive each for itself, in any order, and a length without them")
    func blocks() throws {
        var disk = try SimulatedDisk.holding([("a", "")])
        let file = try disk.open(data("a"), .update)
        try disk.append(file, String(repeating: "x", count: 600))
        #expect(disk.pictures == ["a=", "a=.*600", "a=x*512.*88", "a=.*512x*88", "a=x*600"])
    }

    @Test("An overwritten block is old or new, each block for itself")
    func overwrite() throws {
        var disk = try SimulatedDisk.holding([("a", String(repeating: "o", count: 1024))])
        try disk.overwrite("a", String(repeating: "n", count: 1024))
        #expect(disk.pictures == ["a=o*1024", "a=n*512o*512", "a=o*512n*512", "a=n*1024"])
    }

    @Test("Rewriting in place after a truncation is never safe")
    func truncateAndRewrite() throws {
        var disk = try SimulatedDisk.holding([("a", "old content")])
        let file = try disk.open(data("a"), .update)
        try disk.truncate(file, to: 0)
        _ = try disk.write(file, Array("new".utf8)[...], at: 0)
        #expect(disk.pictures == ["a=old content", "a=", "a=...", "a=new........", "a=new"])
    }

    @Test("A file that was cut and grown again holds zeros, not what it held before")
    func truncateAndGrow() throws {
        var disk = try SimulatedDisk.holding([("a", "abcdef")])
        let file = try disk.open(data("a"), .update)
        try disk.truncate(file, to: 2)
        try disk.truncate(file, to: 5)
        #expect(try disk.text("a") == "ab\0\0\0")
        #expect(disk.pictures == ["a=abcdef", "a=ab", "a=ab..."])
        try disk.sync(file)
        #expect(disk.pictures == ["a=ab..."])
    }

    @Test("A new directory and what it holds are there or not, never the content without the directory")
    func makeDirectory() throws {
        var disk = SimulatedDisk()
        try disk.makeDirectory(data("d"))
        try disk.make("d/a", "x", isSynced: true)
        #expect(disk.pictures == ["", "d/", "d/ d/a=x"])
    }

    @Test("Syncing a new directory saves its names, not its own")
    func syncNewDirectory() throws {
        var disk = SimulatedDisk()
        try disk.makeDirectory(data("d"))
        try disk.make("d/a", "x", isSynced: true)
        try disk.syncDirectory(data("d"))
        #expect(disk.pictures == ["", "d/ d/a=x"])
        try disk.syncDirectory(data(""))
        #expect(disk.pictures == ["d/ d/a=x"])
    }

    @Test("A removed name may come back until its directory is synced")
    func remove() throws {
        var disk = try SimulatedDisk.holding([("a", "old")])
        try disk.remove(data("a"))
        #expect(disk.pictures == ["", "a=old"])
        try disk.syncDirectory(data(""))
        #expect(disk.pictures == [""])
    }

    @Test("A rename to a free name leaves the old name, both, or the new one, and never neither")
    func renameToFreeName() throws {
        var disk = try SimulatedDisk.holding([("a", "x")])
        try disk.rename(data("a"), to: data("b"))
        #expect(disk.pictures == ["a=x", "a=x b=x", "b=x"])
        try disk.syncDirectory(data(""))
        #expect(disk.pictures == ["b=x"])
    }

    @Test("A rename over a file leaves the old or the new content under the name, never none")
    func renameOverFile() throws {
        var disk = try SimulatedDisk.holding([("a", "new"), ("b", "old")])
        try disk.rename(data("a"), to: data("b"))
        #expect(disk.pictures == ["a=new b=old", "a=new b=new", "b=new"])
    }

    @Test("A rename can survive without the data of the file: a short or empty target")
    func renameBeforeData() throws {
        var disk = try SimulatedDisk.holding([("b", "old")])
        try disk.make("a", "new")
        try disk.rename(data("a"), to: data("b"))
        #expect(disk.pictures.contains("b="))
        #expect(disk.pictures.contains("b=..."))
        #expect(!disk.pictures.contains(""))
    }

    @Test("A rename between directories never loses the file, in whatever order they are synced")
    func renameAcrossDirectories() throws {
        var disk = try SimulatedDisk.holding([("d/a", "x"), ("e/k", "k")])
        try disk.rename(data("d/a"), to: data("e/b"))
        let both = "d/ d/a=x e/ e/b=x e/k=k"
        #expect(disk.pictures == ["d/ d/a=x e/ e/k=k", both, "d/ e/ e/b=x e/k=k"])
        var targetFirst = disk
        try targetFirst.syncDirectory(data("e"))
        #expect(targetFirst.pictures == [both, "d/ e/ e/b=x e/k=k"])
        try disk.syncDirectory(data("d"))
        #expect(disk.pictures == ["d/ e/ e/b=x e/k=k"])
    }

    @Test("A rename within a new directory saves nothing of the directory's own name")
    func renameWithinNewDirectory() throws {
        var disk = SimulatedDisk()
        try disk.makeDirectory(data("d"))
        try disk.make("d/a", "x", isSynced: true)
        try disk.rename(data("d/a"), to: data("d/b"))
        try disk.syncDirectory(data("d"))
        #expect(disk.pictures == ["", "d/ d/b=x"])
        try disk.syncDirectory(data(""))
        #expect(disk.pictures == ["d/ d/b=x"])
    }

    @Test("A rename into a directory that is new itself never loses the file with the directory")
    func renameIntoNewDirectory() throws {
        var disk = try SimulatedDisk.holding([("a", "x")])
        try disk.makeDirectory(data("d"))
        try disk.rename(data("a"), to: data("d/a"))
        #expect(disk.pictures == ["a=x", "a=x d/", "a=x d/ d/a=x", "d/ d/a=x"])
    }

    @Test("A directory's rename moves all of it as one, and syncs nothing in it")
    func renameDirectory() throws {
        var disk = try SimulatedDisk.holding([("d/k", "k")])
        try disk.make("d/a", "x", isSynced: true)
        try disk.rename(data("d"), to: data("e"))
        #expect(
            disk.pictures == ["d/ d/k=k", "d/ d/a=x d/k=k", "e/ e/k=k", "e/ e/a=x e/k=k"])
    }

    @Test("Renaming one of two names of the same file does nothing: the other name stays")
    func renameOfOneFile() throws {
        var disk = try SimulatedDisk.holding([("a", "x")])
        try disk.rename(data("a"), to: data("b"))
        disk.powerCut(keeping: .only(0))
        #expect(disk.picture == "a=x b=x")
        try disk.rename(data("a"), to: data("b"))
        #expect(disk.picture == "a=x b=x")
        #expect(disk.pendingCount == 0)
        try disk.overwrite("a", "y")
        #expect(disk.picture == "a=y b=y")
    }

    @Test("A removed directory may come back, empty or with what was removed from it")
    func removeDirectory() throws {
        var disk = try SimulatedDisk.holding([("d/a", "x")])
        try disk.remove(data("d/a"))
        try disk.removeDirectory(data("d"))
        #expect(disk.pictures == ["", "d/", "d/ d/a=x"])
        try disk.syncDirectory(data(""))
        #expect(disk.pictures == [""])
        #expect(disk.pendingCount == 0)
    }

    @Test("A directory is not removed before what was moved out of it has its new name")
    func emptiedDirectory() throws {
        var disk = try SimulatedDisk.holding([("d/a", "x")])
        try disk.rename(data("d/a"), to: data("a"))
        try disk.removeDirectory(data("d"))
        for picture in disk.pictures { #expect(picture.contains("a=x"), "\(picture)") }
    }

    @Test("A file's sync saves content and length and no name; a directory's sync saves names and no content")
    func whatSyncsSave() throws {
        var content = SimulatedDisk()
        try content.make("a", "x", isSynced: true)
        #expect(content.pictures == ["", "a=x"])
        var name = SimulatedDisk()
        try name.make("a", "x")
        try name.syncDirectory(data(""))
        #expect(name.pictures == ["a=", "a=.", "a=x"])
    }

    @Test("A sync is a barrier: what was written before it is there, what comes after may be lost")
    func barrier() throws {
        var disk = try SimulatedDisk.holding([("a", "")])
        let file = try disk.open(data("a"), .update)
        try disk.append(file, "1")
        try disk.sync(file)
        try disk.append(file, "2")
        #expect(disk.pictures == ["a=1", "a=1.", "a=12"])
    }

    @Test("After a failed sync the content is unknown, and a second sync that succeeds saves nothing")
    func failedSync() throws {
        var disk = try SimulatedDisk.holding([("a", "old")])
        let file = try disk.open(data("a"), .update)
        _ = try disk.write(file, Array("new".utf8)[...], at: 0)
        disk.add(DiskFault(.sync, .inputOutput))
        #expect(throws: DiskError(.inputOutput, .sync)) { try disk.sync(file) }
        try disk.sync(file)
        #expect(try disk.text("a") == "new")
        #expect(disk.pictures == ["a=old"])
    }

    @Test("A process that dies loses its handles and locks and nothing that was accepted")
    func processEnds() throws {
        var disk = SimulatedDisk()
        try disk.make("a", "x")
        let lock = try disk.lock(data("LOCK"))
        #expect(throws: DiskError(.locked, .lock, data("LOCK"))) { try disk.lock(data("LOCK")) }
        let before = disk.pictures
        disk.processEnded()
        #expect(disk.picture == "LOCK= a=x")
        #expect(disk.pictures == before)
        #expect(throws: DiskError(.badHandle, .size)) { try disk.size(lock) }
        _ = try disk.lock(data("LOCK"))
    }

    @Test("A clean shutdown keeps everything")
    func cleanShutdown() throws {
        var disk = SimulatedDisk()
        try disk.make("a", "x")
        disk.cleanShutdown()
        #expect(disk.picture == "a=x")
        #expect(disk.pendingCount == 0)
    }

    @Test("A removed file stays readable through an open handle, and its space is taken until that closes")
    func removedWhileOpen() throws {
        var disk = try SimulatedDisk.holding([("a", "x")])
        let free = try disk.freeSpace(.data)
        let file = try disk.open(data("a"), .read)
        try disk.remove(data("a"))
        try disk.make("a", "other")
        #expect(try disk.read(file, at: 0, count: 9) == Array("x".utf8))
        try disk.remove(data("a"))
        #expect(try disk.freeSpace(.data) == free)
        try disk.close(file)
        #expect(try disk.freeSpace(.data) > free)
    }
}
