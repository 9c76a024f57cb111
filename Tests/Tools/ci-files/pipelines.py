"""Carries out the CI files of `otalab init` in temporary folders. See ./run beside it.

What a runner does for a job is done here as its documentation says: a fresh copy of the project, the variables and
contexts that the file names, `bash -e` for its lines, artifacts by their patterns into the jobs after it. A word that is
not known here is an error, so that nothing of a file is passed over.
"""
import os, pathlib, re, shutil, subprocess, sys, tempfile
import xml.etree.ElementTree as ElementTree

import yaml

PROGRAM, TOOLS = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
HERE = pathlib.Path(__file__).resolve().parent
wrong, done, skipped = [], 0, []


class Broken(Exception):
    """The file can't be carried out."""


def tell(ci, what, is_good):
    global done
    done += 1
    if not is_good:
        wrong.append(f"{ci}: {what}")


def call(*words, cwd=None, env=None, timeout=120):
    return subprocess.run([str(word) for word in words], cwd=cwd, env=env, timeout=timeout, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def environment(folder, names):
    kept = {name: os.environ[name] for name in ["HOME", "LANG", "JAVA_HOME", "TMPDIR"] if name in os.environ}
    return {**kept, "PATH": f"{folder / 'bin'}:/usr/bin:/bin", "CI": "true", **names}


def only(record, known, where):
    strange = set(record) - set(known)
    if strange:
        raise Broken(f"{where}: {sorted(strange)} is not carried out here")


def checkout(project, target):
    shutil.copytree(project, target, symlinks=True)
    return target


# GitHub

def evaluated(text, contexts):
    def value(match):
        name = match.group(1).strip()
        if name not in contexts:
            raise Broken(f"the context {name} is not known")
        return str(contexts[name])
    return re.sub(r"\$\{\{(.*?)\}\}", value, str(text))


def github(path, project, folder):
    """-> (is it green, what was said, the artifacts' folder)"""
    flow = yaml.safe_load(path.read_text())
    only(flow, ["name", True, "permissions", "jobs"], "workflow")  # YAML 1.1 reads `on` as true.
    artifacts = folder / "artifacts"
    results, said = {}, ""
    waiting = dict(flow["jobs"])
    while waiting:
        ready = [name for name, job in waiting.items() if all(need in results for need in needs(job))]
        if not ready:
            raise Broken(f"no job can begin: {list(waiting)}")
        for name in ready:
            job = waiting.pop(name)
            only(job, ["runs-on", "strategy", "steps", "needs", "if"], name)
            if not all(results[need] for need in needs(job)) and job.get("if") != "always()":
                results[name] = False
                continue
            rows = list((job.get("strategy") or {}).get("matrix", {"": [None]}).items())
            if len(rows) != 1:
                raise Broken(f"{name}: a matrix of {len(rows)} rows")
            (row, values), = rows
            results[name] = True
            for index, value in enumerate(values):
                contexts = {"strategy.job-index": index, "strategy.job-total": len(values), f"matrix.{row}": value}
                is_good, text = github_job(job, f"{name}-{index}", contexts, project, folder, artifacts)
                results[name] = results[name] and is_good
                said += text
    return all(results.values()), said, artifacts


def needs(job):
    need = job.get("needs") or []
    return [need] if isinstance(need, str) else need


def github_job(job, name, contexts, project, folder, artifacts):
    work = folder / name
    work.mkdir()
    is_good, said = True, ""
    summary = folder / f"{name}.md"
    for step in job["steps"]:
        only(step, ["name", "uses", "run", "env", "with", "if"], name)
        if step.get("if") not in [None, "always()"]:
            raise Broken(f"{name}: the condition {step['if']}")
        if not is_good and "if" not in step:
            continue
        options = {key: evaluated(value, contexts) for key, value in (step.get("with") or {}).items()}
        if "run" in step:
            names = {key: evaluated(value, contexts) for key, value in (step.get("env") or {}).items()}
            names |= {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
            script = folder / f"{name}.sh"
            script.write_text(evaluated(step["run"], contexts))
            run = call("bash", "-e", script, cwd=work, env=environment(folder, names))
            said += run.stdout
            is_good = is_good and run.returncode == 0
        elif step["uses"].startswith("actions/checkout@"):
            shutil.rmtree(work)
            checkout(project, work)
        elif step["uses"].startswith("actions/upload-artifact@"):
            only(options, ["name", "path", "archive"], "upload-artifact")
            if options.get("archive") == "False":  # One file, under its own name.
                found = sorted(work.glob(options["path"]))
                if len(found) > 1 or "name" in options:
                    raise Broken(f"{len(found)} files, or a name, without an archive")
                options["name"] = pathlib.Path(options["path"]).name
            target = artifacts / options["name"]
            if target.exists():
                raise Broken(f"two artifacts named {options['name']}")
            # What stands before the first wildcard is not part of the names in it.
            fixed = options["path"].split("*")[0].rpartition("/")[0]
            base = work / (options["path"].rstrip("/") if "*" not in options["path"] else fixed)
            for found in sorted(work.glob(options["path"].rstrip("/"))):
                place = target / (found.name if found == base and found.is_file() else found.relative_to(base))
                place.parent.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if found.is_dir() else shutil.copy)(found, place)
        elif step["uses"].startswith("actions/download-artifact@"):
            only(options, ["path", "pattern"], "download-artifact")
            for found in sorted(artifacts.glob(options["pattern"])):
                shutil.copytree(found, work / options["path"] / found.name)
        else:
            raise Broken(f"{name}: the action {step['uses']} is not carried out here")
    if summary.exists():
        said += summary.read_text()
    return is_good, said


# GitLab

def gitlab(path, project, folder):
    file = yaml.safe_load(path.read_text())
    stages = file.pop("stages", ["test"])
    artifacts = folder / "artifacts"
    is_green, said = True, ""
    for name, job in file.items():
        if job.get("stage") not in stages:
            raise Broken(f"{name}: the stage {job.get('stage')} is not among {stages}")
    for stage in stages:
        were_good = is_green
        jobs = [(name, job) for name, job in file.items() if job["stage"] == stage]
        before = sorted(artifacts.glob("*")) if artifacts.exists() else []
        for name, job in jobs:
            only(job, ["stage", "parallel", "script", "artifacts", "when"], name)
            if not were_good and job.get("when", "on_success") not in ["always", "on_failure"]:
                continue
            for number in range(1, job.get("parallel", 1) + 1):
                work = checkout(project, folder / f"{name}-{number}")
                for former in before:  # Unpacked one after the other, the last one's links win.
                    call("cp", "-a", f"{former}/.", work)
                names = {"GITLAB_CI": "true", "CI_NODE_TOTAL": str(job.get("parallel", 1))}
                if "parallel" in job:
                    names["CI_NODE_INDEX"] = str(number)
                script = folder / f"{name}-{number}.sh"
                script.write_text("set -eo pipefail\n" + "\n".join(job["script"]) + "\n")
                run = call("bash", script, cwd=work, env=environment(folder, names))
                said += run.stdout
                is_green = is_green and run.returncode == 0
                said += gitlab_artifacts(job.get("artifacts") or {}, run.returncode == 0, work,
                                         artifacts / f"{name}-{number}")
    return is_green, said, artifacts


def gitlab_artifacts(rules, is_good, work, target):
    only(rules, ["when", "paths", "reports", "expose_as"], "artifacts")
    if not is_good and rules.get("when", "on_success") == "on_success":
        return ""
    said = ""
    for pattern in rules.get("paths", []):
        for found in sorted(work.glob(pattern.rstrip("/"))):
            place = target / found.relative_to(work)
            place.parent.mkdir(parents=True, exist_ok=True)
            if found.is_dir():
                shutil.copytree(found, place, symlinks=True)
            else:
                shutil.copy(found, place)
    for kind, pattern in (rules.get("reports") or {}).items():
        if kind != "junit":
            raise Broken(f"a report {kind}")
        files = sorted(work.glob(pattern))
        cases = [case for file in files for case in ElementTree.parse(file).iter("testcase")]
        bad = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
        said += f"junit: {len(cases)} tests, {len(bad)} failed in {len(files)} files\n"
    return said


# Jenkins

def jenkins(path, project, folder):
    return jenkins_built[path, project]


jenkins_built = {}


def build_all(pairs, folder):
    """One groovy for all of them: it starts slowly. In each workspace lies what the build before has left, as in Jenkins."""
    calls = []
    for number, (path, made) in enumerate(pairs):
        work = checkout(made, folder / f"workspace-{number}")
        (work / "Reports/2026-01-01T00-00-00Z-1").mkdir(parents=True)
        (work / "Reports/2026-01-01T00-00-00Z-1/report.html").write_text("of the previous build")
        (work / "junit.xml").write_text("<testsuites><testcase name='of the previous build'/></testsuites>")
        calls += [path, work]
    (folder / "bin").mkdir()
    (folder / "bin/otalab").symlink_to(PROGRAM)
    run = call("groovy", HERE / "pipeline.groovy", *calls, env=environment(folder, {}), timeout=300)
    said = run.stdout.split("=====\n")
    if run.returncode or len(said) != len(pairs) + 1:
        raise Broken(f"groovy ended with {run.returncode}: {run.stdout[-300:]}")
    for number, pair in enumerate(pairs):
        jenkins_built[pair] = (said[number].endswith("SUCCESS\n"), said[number], folder)


# What each file has to come to

def scenario(title, running):
    return """{
  schema: 1, title: "%s", covers: ["U6"],
  app: { id: "com.example.shop", embeds: "v1" },
  versions: { v1: { files: { "index.html": "2 KB" } } },
  steps: [ { launch: true }, { expect: { running: %s }, within: "5s" } ],
}
""" % (title, running)


def project(folder, ci, kind):
    made = folder / f"{ci}-{kind}"
    run = call(PROGRAM, "init", made, "--ci", ci)
    tell(ci, run.stdout, run.returncode == 0)
    for number in range(8):
        (made / f"Scenarios/many-{number}.json5").write_text(scenario(f"Story {number}", '"v1"'))
    if kind == "failing":
        (made / "Scenarios/bad.json5").write_text(scenario("A bad one", '"v1", switches: 5'))
    if kind == "invalid":
        (made / "Scenarios/bad.json5").write_text(scenario("A bad one", '"v1", runing: "v1"'))
    return made


FILES = {"github": ".github/workflows/otalab.yml", "gitlab": ".gitlab-ci.yml", "jenkins": "Jenkinsfile"}
CARRY_OUT = {"github": github, "gitlab": gitlab, "jenkins": jenkins}


def judged(ci, path):
    """What is wrong with the file by those who know its kind; nil: nothing."""
    if ci == "jenkins":
        return None
    schema = "vendor.github-workflows" if ci == "github" else "vendor.gitlab-ci"
    run = call(TOOLS / "check-jsonschema", "--builtin-schema", schema, path)
    if run.returncode:
        return "schema"
    if ci == "github" and (TOOLS / "actionlint").exists():
        run = call(TOOLS / "actionlint", "-no-color", path)
        if run.returncode:
            return f"actionlint: {run.stdout.splitlines()[0].split('otalab.yml:')[-1]}"
    return None


def outcome(ci, made, folder, kind, path=None):
    """-> nil where the file does what it should for this project, else who notices and what."""
    path = path or made / FILES[ci]
    fault = judged(ci, path)
    if fault:
        return fault
    place = folder / f"run-{len(list(folder.iterdir()))}"
    (place / "bin").mkdir(parents=True)
    (place / "bin/otalab").symlink_to(PROGRAM)
    try:
        is_green, said, artifacts = CARRY_OUT[ci](path, made, place)
    except Broken as fault:
        return str(fault)
    return difference(ci, kind, is_green, said, artifacts)


def difference(ci, kind, is_green, said, artifacts):
    if said.splitlines()[-1:] and said.splitlines()[-1].startswith("REFUSED"):
        return said.splitlines()[-1]
    if is_green != (kind == "passing"):
        lines = [line for line in said.splitlines() if line.startswith(("error", "FAILED"))] or said.splitlines()
        return f"{'green' if is_green else 'red'} for a project that is {kind}: {(lines or ['nothing said'])[0][:110]}"
    if kind == "invalid":
        # Lint stops it with the place, and that is what it is red for.
        if "Scenarios/bad.json5" not in said or "did you mean 'running'?" not in said:
            return "lint's words are not there"
        return "it goes on after lint" if " passed" in said else None
    count = "9 passed, 0 failed" if kind == "passing" else "9 passed, 1 failed"
    bad = 0 if kind == "passing" else 1
    tests = 9 + bad
    if count not in said:
        return f"'{count}' was never said"
    pages = list(artifacts.rglob("report.html"))
    # GitHub: the folder `report`, and the page by itself; GitLab: what is shown beside the merge request.
    whole = [page for page in pages if page.parent.name in ["merged", "report", "report.html"]]
    if ci == "jenkins":
        return None if said.endswith("archived: 1 report.html\n" + ("SUCCESS\n" if is_green else "FAILURE\n")) \
            and f"junit: {tests} tests, {bad} failed" in said else "its results are not those of this build"
    texts = [page.read_text() for page in whole]
    if len(whole) != (2 if ci == "github" else 1) or any(("A bad one" in text) != (bad == 1) for text in texts):
        return f"the report of all parts is not there, or is another: {len(whole)} of {len(pages)} pages"
    if ci == "gitlab":
        told = [tuple(map(int, row)) for row in re.findall(r"junit: (\d+) tests, (\d+) failed in 1 files", said)]
        return None if (len(told), sum(row[0] for row in told), sum(row[1] for row in told)) == (3, tests, bad) \
            else f"its JUnit files: {told}"
    if bad and ("::error file=Scenarios/bad.json5,line=5" not in said or "| bad | Scenarios/bad.json5:5 |" not in said):
        return "no annotation, or no row in the job summary"
    return None


BREAKS = {
    "github": [
        ("runs-on:", "runs-where:"), ("strategy.job-index", "strategy.job-indx"), ("needs: scenarios", "needs: scenario"),
        ("--shard auto", "--shards auto"), ("pattern: shard-*", "pattern: part-*"), ("path: Reports/2*/", "path: Report/2*/"),
        ("path: Reports/merged/report.html", "path: Reports/latest/report.html"), ("archive: false", "archiv: false"),
        ("name: shard-${{ matrix.part }}", "name: shard-1"), ("job-total }}", "job-index }}"),
        ("otalab lint --format github", "echo nothing"),
    ],
    "gitlab": [
        ("script:", "scripts:"), ("stage: report\n", "stage: reports\n"), ("  parallel: 3\n", ""),
        ("run --shard auto", "run --shard 1/3"), ("Reports/2*/junit.xml", "Reports/junit.xml"),
        ("merge Reports -o", "merge Reports -p"), ("merged/report.html", "merge/report.html"), ("otalab lint", "echo nothing"),
    ],
    "jenkins": [
        ("agent any", "agent anyone"), ("steps {", "step {"), ("sh 'otalab lint'", "shh 'otalab lint'"),
        ("-o junit=junit.xml", "--junit=junit.xml"), ("testResults: 'junit.xml'", "testResults: 'results.xml'"),
        ("'Reports/**'", "'Report/**'"), ("rm -rf Reports junit.xml", "true"), ("    }\n}\n", "    }\n"),
        ("sh 'otalab lint'", "sh 'echo nothing'"),
    ],
}


def try_out(ci, folder):
    if ci == "jenkins" and not shutil.which("groovy"):
        skipped.append("Jenkinsfile (no groovy)")
        return
    if ci == "github" and not (TOOLS / "actionlint").exists():
        skipped.append("actionlint (not to be had)")
    made = {kind: project(folder, ci, kind) for kind in ["passing", "failing", "invalid"]}
    text = (made["passing"] / FILES[ci]).read_text()
    broken = []
    for old, new in BREAKS[ci]:
        tell(ci, f"'{old}' is not in the file: what is to be broken?", old in text)
        place = folder / f"broken-{len(list(folder.iterdir()))}" / pathlib.Path(FILES[ci]).name
        place.parent.mkdir()
        place.write_text(text.replace(old, new, 1) if old != "strategy.job-index" else text.replace(old, new))
        # What lint is for shows where there is something to find.
        broken.append((old, new, place, "invalid" if "echo nothing" in new else "passing"))
    if ci == "jenkins":
        pairs = [(each / FILES[ci], each) for each in made.values()]
        (folder / "jenkins").mkdir()
        build_all(pairs + [(place, made[kind]) for _, _, place, kind in broken], folder / "jenkins")
    for kind, each in made.items():
        fault = outcome(ci, each, folder, kind)
        tell(ci, f"{kind}: {fault}", fault is None)
    for old, new, place, kind in broken:
        fault = outcome(ci, made[kind], folder, kind, place)
        tell(ci, f"'{old.strip()}' broken to '{new.strip()}' is not noticed", fault)
        print(f"  {ci:8}{new.strip() or 'without ' + old.strip():34} {fault or 'NOT NOTICED'}"[:150])


with tempfile.TemporaryDirectory() as place:
    for ci in sys.argv[3:] or FILES:
        own = pathlib.Path(place) / ci
        own.mkdir()
        try_out(ci, own)
for line in wrong:
    print(f"WRONG {line}")
for line in skipped:
    print(f"skipped: {line}")
print(f"CI files: {done - len(wrong)} of {done} looks are good")
sys.exit(1 if wrong or not done else 0)
