"""Draws mutants by a seed and writes the one copy of the sources that contains all of them, inactive."""

import hashlib
import re
from pathlib import Path

from processes import run
from swift_mutants import Mutant, mutants_of

# In the order in which they import each other.
MODULES = ["Core", "HTTP1", "Updater", "LocalServer", "AppHost", "DeviceShell"]
TESTS = [f"{module}Tests" for module in MODULES]
# Mutants of a copy.
MOST = 4_096
COPIED = ["Package.swift", "Sources", "Tests", "Scenarios"]
OF_MODULES = tuple(f"Sources/{module}/" for module in MODULES)

# How often a kind is taken where a line has several, and how often a line that has it is drawn. An early return fits
# before every statement and would be every third mutant; most swapped arguments don't compile; there are few syncs,
# and each matters.
KIND_WEIGHT = {"early return": 0.1, "case": 2, "border": 2, "swapped": 2}
LINE_WEIGHT = {"sync": 4}

# The order of their arguments says nothing. Tables of earlier seeds have some of these; they are drawn no more.
COMMUTATIVE = re.compile(r"(TextBytes\.)?(min|max|areEqual)\(")

# Each module has its own, so that no file needs an import for it. The file of OTALAB_REACHED has a byte for each mutant
# that the process came to (reach.py); it is mapped, so that a process that dies has written it too.
SWITCH = """#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The mutant of this process, by its number; 0: none.
private let mutantOfProcess: Int = getenv("OTALAB_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

private nonisolated(unsafe) let reached: UnsafeMutablePointer<UInt8>? = {
    guard let path = getenv("OTALAB_REACHED") else { return nil }
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    guard file >= 0, ftruncate(file, MOST) == 0 else { return nil }
    let bytes = mmap(nil, MOST, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    close(file)
    return bytes == MAP_FAILED ? nil : bytes?.assumingMemoryBound(to: UInt8.self)
}()

public func mutant(_ number: Int) -> Bool {
    reached?[number] = 1
    return mutantOfProcess == number
}
""".replace("MOST", str(MOST))


def _chance(seed: int, name: str, weight: float) -> float:
    """A number by which things are sorted, greater ones first: the greater the weight, the greater on average."""
    drawn = int.from_bytes(hashlib.sha256(f"{seed}|{name}".encode()).digest()[:7], "big") / 2 ** 56
    return drawn ** (1 / weight)


class Drawing:
    """The mutants of a seed: each module has a share by its lines of code, a line has one mutant at most."""

    def __init__(self, root: Path, seed: int, count: int):
        self.root, self.seed = root, seed
        self.sources = {
            module: {
                str(path.relative_to(root)): path.read_bytes()
                for path in sorted((root / "Sources" / module).rglob("*.swift"))}
            for module in MODULES}
        code = {module: sum(map(_lines_of_code, files.values())) for module, files in self.sources.items()}
        shares = {module: count * code[module] / sum(code.values()) for module in MODULES}
        self.quota = {module: int(shares[module]) for module in MODULES}
        for module in sorted(MODULES, key=lambda module: shares[module] % 1, reverse=True):
            if sum(self.quota.values()) < count:
                self.quota[module] += 1

    def order(self, module: str) -> list[Mutant]:
        """A module's mutants in the order in which they are drawn; it changes only where lines change."""
        lines: list[tuple[float, Mutant]] = []
        for path, source in self.sources[module].items():
            by_line: dict[int, list[Mutant]] = {}
            for mutant in mutants_of(path, source):
                if mutant.kind == "swapped" and COMMUTATIVE.match(mutant.before):
                    continue
                by_line.setdefault(mutant.line, []).append(mutant)
            text = source.decode().split("\n")
            seen: dict[str, int] = {}
            for number, mutants in sorted(by_line.items()):
                line = text[number - 1].strip()
                seen[line] = seen.get(line, 0) + 1
                kinds = {mutant.kind for mutant in mutants}
                weight = max(LINE_WEIGHT.get(kind, 1) for kind in kinds)
                kind = max(kinds, key=lambda kind: _chance(
                    self.seed, f"{path}|{line}|{seen[line]}|{kind}", KIND_WEIGHT.get(kind, 1)))
                of_kind = [mutant for mutant in mutants if mutant.kind == kind]
                chosen = max(of_kind, key=lambda mutant: _chance(self.seed, mutant.key, 1))
                lines.append((_chance(self.seed, f"{path}|{line}|{seen[line]}", weight), chosen))
        ordered: list[Mutant] = []
        taken: dict[str, list[Mutant]] = {}
        for _, mutant in sorted(lines, key=lambda entry: -entry[0]):
            if all(mutant.end <= other.start or other.end <= mutant.start for other in taken.get(mutant.path, [])):
                taken.setdefault(mutant.path, []).append(mutant)
                ordered.append(mutant)
        return ordered


def _lines_of_code(source: bytes) -> int:
    return sum(1 for line in source.decode().split("\n") if line.strip() and not line.strip().startswith("//"))


def insert(source: bytes, mutants: list[Mutant]) -> tuple[bytes, list[tuple[int, int, Mutant]]]:
    """The file with its mutants, and for each the lines that it is on then."""
    pieces: list[bytes] = []
    ranges: list[tuple[int, int, Mutant]] = []
    at, line = 0, 1
    for mutant in sorted(mutants, key=lambda mutant: mutant.start):
        before = source[at:mutant.start]
        changed = mutant.template.replace("mutant(ID)", f"mutant({mutant.number})").encode()
        line += before.count(b"\n")
        ranges.append((line, line + changed.count(b"\n"), mutant))
        line += changed.count(b"\n")
        pieces += [before, changed]
        at = mutant.end
    return b"".join(pieces) + source[at:], ranges


class Copy:
    """The folder with the copy, and the compiler's word on what compiles."""

    def __init__(self, root: Path, folder: Path):
        self.root, self.folder = root, folder
        self.tree, self.modules = folder / "tree", folder / "modules"

    def draw(self, drawing: Drawing, say) -> list[Mutant]:
        """Writes the copy with as many mutants as the drawing asks for, all of which compile."""
        self._write_unchanged(self.root)
        kept: list[Mutant] = []
        for module in MODULES:
            mutants = self._that_compile(drawing, module, len(kept) + 1, say)
            for offset, mutant in enumerate(mutants):
                mutant.number = len(kept) + offset + 1
            self._write_module(drawing, module, mutants)
            kept += mutants
        return kept

    def place(self, drawing: Drawing, keys: list[str]) -> list[Mutant]:
        """Writes the copy with the mutants of a table, all of which compiled when it was written."""
        self._write_unchanged(self.root)
        wanted = {key: number for number, key in enumerate(keys, start=1)}
        found: list[Mutant] = []
        for module in MODULES:
            mutants = [
                mutant for path, source in drawing.sources[module].items() for mutant in mutants_of(path, source)
                if mutant.key in wanted]
            for mutant in mutants:
                mutant.number = wanted[mutant.key]
            self._write_module(drawing, module, mutants)
            found += mutants
        if lost := wanted.keys() - {mutant.key for mutant in found}:
            raise SystemExit(f"{len(lost)} mutants of the table are not in the sources of its commit: --fresh")
        return sorted(found, key=lambda mutant: mutant.number)

    def take_cases(self, root: Path) -> None:
        """Scenarios, tests and the laboratory as they are now; the shipped modules stay, with their mutants."""
        self._write_unchanged(root, keeps_modules=True)

    def _that_compile(self, drawing: Drawing, module: str, first: int, say) -> list[Mutant]:
        """More than needed are inserted, since some won't compile; the first of the rest are taken."""
        order = iter(drawing.order(module))
        quota = drawing.quota[module]
        inserted: list[Mutant] = []
        while True:
            while len(inserted) < quota * 1.15 + 2 and (mutant := next(order, None)):
                inserted.append(mutant)
            for offset, mutant in enumerate(inserted):
                mutant.number = first + offset
            ranges = self._write_module(drawing, module, inserted)
            bad = self._not_compiling(module, ranges)
            say(f"{module}: {len(inserted)} inserted, {len(bad)} don't compile")
            inserted = [mutant for mutant in inserted if mutant.key not in bad]
            if not bad and len(inserted) >= quota:
                return inserted[:quota]

    def _write_module(self, drawing: Drawing, module: str, mutants: list[Mutant]) -> dict:
        ranges = {}
        for path, source in drawing.sources[module].items():
            here = [mutant for mutant in mutants if mutant.path == path]
            changed, ranges[path] = insert(source, here)
            _write(self.tree / path, changed)
        _write(self.tree / "Sources" / module / "Mutant.swift", SWITCH.encode())
        return ranges

    def _not_compiling(self, module: str, ranges: dict) -> set[str]:
        """Keys of the mutants that the compiler's errors are about."""
        self.modules.mkdir(parents=True, exist_ok=True)
        files = [str(path.relative_to(self.tree)) for path in sorted((self.tree / "Sources" / module).rglob("*.swift"))]
        # Not to /dev/null: the compiler renames its output, and root replaces the device by that.
        code, output = run(
            ["swiftc", "-emit-sil", "-o", str(self.modules / "unused.sil"), "-emit-module",
             "-emit-module-path", str(self.modules / f"{module}.swiftmodule"), "-module-name", module,
             "-package-name", "copy", "-parse-as-library", "-swift-version", "6", "-suppress-warnings", "-wmo",
             "-I", str(self.modules), "-I", "Sources/LinuxSystem",
             "-I", "Sources/SHA256Instructions/include", *files], self.tree, self.folder / "build.log")
        bad = set()
        for path, line in re.findall(r"(Sources/[^\s:]+):(\d+):\d+: error:", output):
            mutants = ranges.get(path, [])
            if not mutants:
                raise SystemExit(f"an error that no mutant caused:\n{output[:3000]}")
            def distance(entry):
                return max(entry[0] - int(line), int(line) - entry[1], 0)
            bad.add(min(mutants, key=distance)[2].key)
        if code != 0 and not bad:
            raise SystemExit(f"{module} does not compile:\n{output[:3000]}")
        return bad

    def _write_unchanged(self, root: Path, keeps_modules: bool = False) -> None:
        """The project as it is, but for warnings (both variants of a mutant cause some) and other modules' tests."""
        wanted: set[str] = set()
        for name in COPIED:
            top = root / name
            for path in [top] if top.is_file() else sorted(top.rglob("*")):
                if not path.is_file() or "__pycache__" in path.parts:
                    continue
                relative = str(path.relative_to(root))
                wanted.add(relative)
                if relative.startswith(OF_MODULES) and (keeps_modules or path.suffix == ".swift"):
                    continue
                content = path.read_bytes()
                if relative == "Package.swift":
                    content = _without_other_tests(content.decode()).encode()
                _write(self.tree / relative, content)
        wanted |= {f"Sources/{module}/Mutant.swift" for module in MODULES}
        for name in COPIED:
            for path in (self.tree / name).rglob("*"):
                relative = str(path.relative_to(self.tree))
                is_kept = relative in wanted or (keeps_modules and relative.startswith(OF_MODULES))
                if path.is_file() and not is_kept:
                    path.unlink()

    def build(self, say) -> None:
        """The program, optimised, and the unit tests, not; SwiftPM builds only what changed."""
        for what in (["-c", "release", "--product", "otalab"], ["--build-tests"]):
            say("building: " + " ".join(what))
            code, output = run(["swift", "build", *what], self.tree, self.folder / "build.log")
            if code != 0:
                errors = [line for line in output.splitlines() if "error" in line]
                raise SystemExit("the copy does not build:\n" + "\n".join(errors[:20]))


def _write(path: Path, content: bytes) -> None:
    """Only what differs, so that a build has little to do."""
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _without_other_tests(package: str) -> str:
    package = package.replace("[.treatAllWarnings(as: .error)] + across", "across")
    at = 0
    while found := re.compile(r"\btests\(\s*\"(\w+)\"").search(package, at):
        depth, end = 0, found.start() + len("tests")
        while True:
            depth += {"(": 1, ")": -1}.get(package[end], 0)
            end += 1
            if depth == 0:
                break
        at = end
        if found.group(1) not in TESTS:
            end += 1 if package[end:end + 1] == "," else 0
            package = package[:found.start()] + package[end:]
            at = found.start()
    return package
