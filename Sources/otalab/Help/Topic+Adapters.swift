extension Topic {
    static let adapters = Topic(
        name: "adapters", page: "Adapters",
        summary: "your own updater in the laboratory: the adapter and its protocol",
        text: """
            # Your own updater

            Put the updater that you ship through the laboratory's scenarios. You write an *adapter*: a small program that starts
            your updater and speaks the protocol below. The laboratory keeps the origin, the network, the page, the user and the
            verdict; your updater runs as it is, in any language.

            ```sh
            otalab subject new my-adapter --language python   # a program to begin with; it runs as it comes
            otalab subject check my-adapter/adapter.py        # what it can, what can be judged, what is wrong with it
            otalab run --subject my-adapter/adapter.py        # those of Scenarios/any, all of Scenarios/, or what you name
            ```

            `Scenarios/any` is a folder of otalab's own sources; copy it into your project. Its scenarios look only at what an
            outsider sees: what runs, what was served, what the origin was asked, whether the app came up. Everything else that a
            scenario expects is *not judged* unless the adapter tells it: it counts neither for nor against the updater. Three rules
            are watched in every run: the app comes up by itself and stays (X1), a page gets files of one version (S1), and only
            bytes that some version has (S2). A fourth is watched where the adapter declares its `policy`: a version that failed as
            often as it may is not started again (R3).

            Which version runs is known by the bytes that the page got. Where two versions share all of them, as when the file that
            differs has not been asked for yet, both are possible: an `expect` or `always` accepts either, a `never` waits for the
            file that tells.

            | expected | judged when the adapter tells |
            |---|---|
            | `running`, `started`, `page`, `pages`, `route`, `process`, `port`, `requests`, `fetched`, `answers`, `bytes`, `cookies`, `storage`, `time`, `times: { launch }` | nothing: it is seen from outside |
            | `pending`, `blacklist`, `parked` | the word of the same name |
            | `lastKnownGood` | `good` |
            | `screen`, `whiteTime` | `screen` |
            | `confirmed`, `starts`, `blame`, `stored`, `storedFiles`, `log`, `outcomes`, `messages`, `progress`, `reloads`, `switches` and the rest | never |

            The scenario's time is the wall clock's, times `--speed`. It stands still from a launch until the adapter listens, so
            that an interpreter that takes a second to start costs the scenario nothing. At speed 1 all of `Scenarios/any` takes about
            twenty minutes, four scenarios at once. An updater that divides its own times by `OTALAB_SPEED` takes a quarter of that with
            `--speed 4`, and one with the clock `own` as long as its work.

            ADAPTER is the path of a program, or a program and its arguments in one word of the shell: `--subject "ruby adapter.rb"`.

            What can't be done to a foreign process is skipped with the reason: power cuts, faults of the disk, several devices. A
            step whose command the adapter does not list under `does` has no effect; the report names it. The folder of a scenario that
            failed is kept, and named in the report; others are removed.

            Threads of an updater make no two runs alike. `--repeat N` runs each scenario N times and says how often it failed; what
            failed once has failed. Failures that you know of go into a file, and are no failures then, while a pass is one:

            ```
            # otalab run --subject ADAPTER --xfails FILE: NAME [RULE] # REASON, a line each; the word expect in place of a rule
            # stands for expectations
            any/hangs-at-start [own]        R3   # left only after four starts: issue 41
            any/busy-origin [the manifest]       # Retry-After is not looked at yet
            ```

            ## One process is one process of the app

            The laboratory starts the adapter for each launch of the app, and ends it and all its descendants with SIGKILL where the
            scenario ends the app. What a phone would keep lies below the folder `OTALAB_STATE`; nothing else survives.

            The adapter reads commands from stdin and writes messages to stdout: one JSON object on each line, UTF-8, at most 1 MiB.
            stderr is kept for the report. Ignore keys and commands that you don't know: later versions add some.
            `otalab schema adapter` prints the lines that an adapter writes as JSON Schema; `#/definitions/command` in it are
            those that it reads.

            | environment variable | |
            |---|---|
            | `OTALAB_PROTOCOL` | `1` |
            | `OTALAB_STATE` | folder that the app keeps; empty at the first launch |
            | `OTALAB_PACKAGE` | the version that the app ships with, read-only: `manifest.json` as the origin serves that of this version, and its files under `files/` by their routes (`files/app.js`; Meteor's index, whose route is `/`, as `index.html` beside the manifest); an empty folder: the app ships none |
            | `OTALAB_ORIGIN` | URL of the manifest; the URLs in it are relative to this one. Meteor's ends with `/__cordova/manifest.json` |
            | `OTALAB_DIALECT` | `own`, `frontend` or `meteor`: the format of the manifest |
            | `OTALAB_APP` | id of the app |
            | `OTALAB_NATIVE` | version of the native build, such as `1.0` |
            | `OTALAB_PORT` | a free port on 127.0.0.1 for the local server |
            | `OTALAB_SETTINGS` | JSON object: `startupTimeout` in milliseconds of the scenario (divide by `OTALAB_SPEED`), `confirm` (`called` or `loaded`) |
            | `OTALAB_SPEED` | seconds of the scenario in each second of the wall clock; 1 unless the run says otherwise |
            | `OTALAB_SEED` | a number, for choices that are to be the same in each run |

            ## The beginning

            The first message, within 10 s of the start:

            ```json
            {"is": "subject", "protocol": 1, "name": "acme-updater", "version": "3.2.0", "dialects": ["own"], "clock": "system",
             "serves": "http", "does": ["check", "call"], "tells": ["pending", "error"],
             "policy": {"confirm": "called", "startupTimeout": 20000, "switchAt": ["launch"], "retries": 1, "blacklists": true}}
            ```

            | key | |
            |---|---|
            | `name`, `version` | for the report |
            | `dialects` | formats of manifests that it reads; scenarios of others are skipped |
            | `clock` | `system`: it lives in real time. `own`: its time passes only by `advance`; then a run takes as long as its work, and a busy machine changes nothing |
            | `serves` | `http`: it listens on `OTALAB_PORT` itself. `get`: it has no server, and the laboratory requests each file with the command `get`, as a platform asks the app for the files of its own scheme |
            | `does` | commands that it understands beside `launch`: `check`, `push`, `front`, `active`, `user`, `network`, `page`, `call`, `rest`, `status`. Others are not sent |
            | `tells` | what it reports: `pending`, `good`, `blacklist`, `parked`, `current`, `error`, `screen`. An expectation about anything else is not judged |
            | `policy` | what it is meant to do. R3 is judged by `confirm`, `startupTimeout` and `retries`, and not at all without them; the other keys are for the report |

            In `policy`: `confirm` is what proves a start, the page's call (`called`), the end of its loading (`loaded`) or nothing
            (`never`, by which R3 is not judged); `startupTimeout` (ms of the scenario's time) is the time it has for that; `switchAt` lists the moments at which a waiting version is
            shown, of `launch`, `reload`, `front`, `call`; `retries` is how often an unproven version is started again before another
            one is shown; `blacklists`: a version that failed is not downloaded again.

            Then the laboratory sends the first command, `launch`.

            ## Commands

            A line such as `{"id": 1, "do": "launch", "front": true}`: `do` is the command. Each has an `id`, and gets exactly one
            answer within 10 s: `{"to": 7, "ok": true}`, or
            `{"to": 7, "ok": false, "why": "…"}` if it can't be done. An answer says that the command was taken, not that its work is
            finished: a `check` is answered at once, and the download follows.

            | command | keys | |
            |---|---|---|
            | `launch` | `front`: whether the app is visible; `link`: path and query of the page that the app was opened for, if any; `boot`: id of the boot, if the device tells; `died`: how the last process ended (`crash`, `notResponding`, `user`, `lowMemory`, `unknown`), if the platform tells; `time`: milliseconds of the device's monotonic clock, where a clock `own` begins; `wall`: its wall clock in seconds since 1970 | the first one |
            | `check` | | the app's own code asks for an update |
            | `push` | | a silent push arrived |
            | `front` | `is`: true or false | the app comes to the front, or leaves it |
            | `active` | `is`: true or false | the app, which stays visible, becomes active or inactive: a call comes, the app switcher opens. Before the user swipes the app away, it becomes inactive, and its process ends once that is answered (or after a second) |
            | `user` | `presses`: `retry`, `tryAgain`, `report` | the user pressed a button of a native screen |
            | `network` | `is`: `online`, `offline`, `metered` | the platform reports a change |
            | `page` | `view`, `is`: `navigating`, `committed`, `shown`, `loaded`, `died` or `closed`; `url`; with `navigating` also `how`: `reload`, `link`, `form`, `history`, `other` | what a platform's web view reports |
            | `call` | `view`, `url` of its document, `method`, `params`; `message`: all that the page's script sent | the page calls native code. `startupDidComplete`: it has started. `startupDidFail`: an error before that. `onNewVersionReady`: it wants to hear of new versions; each page says so. The version of the page that calls is known to who served its document: give the URLs of `listening` and `load` a mark of the load, such as `/?load=3` |
            | `status` | | answered after a `status` message |
            | `rest` | | answered when nothing is under way any more: no download, no check, no attempt that it will make by itself. It is sent during `settle`, which without it ends when the process is idle. The answer may take two minutes. With the clock `own`: when all that is left waits for time, for the origin or for the page; the answer has `next`, the milliseconds to its next timer or null, and may have `open`, the number of its requests that wait for bytes |
            | `advance` | `ms` | only with the clock `own`: so much time has passed |
            | `get` | `url`: path and query; `headers`: the request's header fields, names in lower case | only with `serves: "get"`: a page requests this. The answer has `status`, `type` (a media type), `headers` if there are others, and `file`, the absolute path of a file below `OTALAB_STATE` or `OTALAB_PACKAGE`, or `base64`, the bytes; `"ok": false` fails the request |

            ## Messages

            They can be sent at any time.

            | message | keys | |
            |---|---|---|
            | `listening` | `start`: path and query of the first page (`/` if it is left out; null: it says `load` itself) | its server accepts connections on `OTALAB_PORT`, or without one it answers `get`. The laboratory then loads the first page, unless the app was launched in the background |
            | `load` | `view` (0), `url`: path and query | the app navigates its web view by itself: a new version, a rescue |
            | `status` | any of `current`, `pending`: an id or null; `good` (proven versions, the last known good one last), `blacklist`, `parked` (not offered for a while): lists of ids | ids are those of the manifests. What is left out has not changed |
            | `told` | `what`: `ready`, `progress`, `error`, `refused`, `rescued`, `blamed`; `version`, `cause`, `text` | for the report |
            | `message` | `view`, `json` | a message for the page's document |
            | `screen` | `shows`: `cover`, `loading`, `offline`, `recovery`, `page` | which native screen the user sees; `cover` before the first one |

            ## Crash points

            ```console
            $ otalab crashpoints --subject my-adapter/adapter.py Scenarios/any/plain-update.json5
            ```

            The scenario runs once under `strace` (Linux; Debian's package `strace`), which records the adapter's system calls on its
            state folder. They are replayed onto the laboratory's model of a disk, whose content must be the folder's byte for byte after
            each process; else the scenario is not searched, and the reason says what differs. After each operation a kill and power
            cuts of each class (`otalab help crashpoints`) leave images of the folder, and the adapter is launched on each different one:
            a restart of the device, a launch, a check, a second launch, and after both launches a page must come; every version starts
            well there, also one that does not in the scenario. Rules are judged as in other runs. Whether the update arrives is not
            judged: after a crash that is the updater's policy.

            `--every N` and `--outcomes N` make it shorter. `--jobs N` searches several scenarios at once; the images of one come one after
            another, because a state folder may name the ports. With the clock `own` an image takes a second or less, in real time as
            long as the app needs; `--speed` helps the launches, while the recording has speed 1. Not followed, and said: shared memory maps, asynchronous writes, hard links, files
            without a name, exchanges of two names.

            A failure names the operations before it, and what of the last ones survived. Its folder under `Reports/crashpoints/subject`
            has the image (`state`), the scenario (`recovery.json5`) and the command that repeats it, `otalab run --subject ADAPTER --state
            DIR --ports ORIGIN,APP`.

            ## Search

            ```console
            $ otalab sweep --subject my-adapter/adapter.py Scenarios/any/plain-update.json5
            $ otalab explore --subject my-adapter/adapter.py --for 10m
            ```

            `sweep` runs a scenario once as it is, and then again and again, each time with one disturbance at the first or the last
            request of each kind that it made: answers of many kinds, broken transfers, a process that is killed when the request reaches
            the origin or when its answer is complete, a check, a reload or a relaunch at that moment. `--every N` takes every N-th.
            `explore` draws worlds that nobody wrote: stories of an update in which something of that kind happens, versions that hang,
            crash or start late, releases that come in the middle of a download, users in a hurry. `--seed` and `--runs` repeat a search.

            The expectations of a scenario do not count in a disturbed run; the rules do. At the end of each world nothing is wrong any
            more, and a new version without a fault comes to the origin: after three checks and launches the app must show it, and it has
            not sent requests in a loop. What fails is a finding: its world is written as a scenario, made smaller in up to 120 runs (not
            with `--no-shrink`), run five times to see how often it fails, and reported like the findings of other searches.

            ## When it goes wrong

            | what | outcome |
            |---|---|
            | no first message or no answer in time (`--patience`, 10 s) | the scenario is inconclusive |
            | a line that is no JSON object, one longer than 1 MiB, an answer to no command, a second answer, another protocol | the adapter is invalid: exit status 3, with the line |
            | nothing of any scenario can be judged, so that all are skipped | exit status 6 |
            | the process exits by itself, or nothing of it listens at `OTALAB_PORT` 10 s after its launch | rule X1 fails. The scenario goes on, as a phone would |

            """)
}
