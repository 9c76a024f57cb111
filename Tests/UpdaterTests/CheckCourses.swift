/// What the stages of ``CheckCourseTests`` do, in order.
extension CheckCourseTests {
    static let courses: [String: String] = [
        "status": """
        fetch 1 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1, c, u
        timer idle 1 15000 ms
        timer idle 1 30000 ms
        no timer idle 1
        log status-refused check: manifest status=503
        notice error status-refused check: manifest status=503
        timer retry 1048 ms
        """,
        "portal": """
        fetch 2 manifest /app/manifest.json attempt 2 for com.example.shop, this device, stable, 1.0, \
        v1, c, u
        timer idle 2 15000 ms
        timer idle 2 30000 ms
        no timer idle 2
        log manifest-unreadable check: byte=0 unexpected character '<'
        timer retry 2066 ms
        """,
        "reset": """
        fetch 3 manifest /app/manifest.json attempt 3 for com.example.shop, this device, stable, 1.0, \
        v1, c, u Cache-Control=no-cache
        timer idle 3 15000 ms
        timer idle 3 30000 ms
        no timer idle 3
        log check-failed check: reset
        timer retry 4996 ms
        """,
        "length": """
        fetch 4 manifest /app/manifest.json attempt 4 for com.example.shop, this device, stable, 1.0, \
        v1, c, u Cache-Control=no-cache
        timer idle 4 15000 ms
        timer idle 4 30000 ms
        no timer idle 4
        log length-mismatch check: bytes=3 announced=9
        timer retry 8576 ms
        """,
        "silent": """
        fetch 5 manifest /app/manifest.json attempt 5 for com.example.shop, this device, stable, 1.0, \
        v1, c, u Cache-Control=no-cache
        timer idle 5 15000 ms
        cancel 5
        no timer idle 5
        log check-failed check: silent for 15 s
        timer retry 13536 ms
        """,
        "nothing": """
        fetch 6 manifest /app/manifest.json attempt 6 for com.example.shop, this device, stable, 1.0, \
        v1, c, u
        timer idle 6 15000 ms
        timer idle 6 30000 ms
        no timer idle 6
        log nothing-offered
        """,
        "pending": """
        fetch 7 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1, c, u
        timer idle 7 15000 ms
        timer idle 7 30000 ms
        no timer idle 7
        log download-started v2 rows=3
        notice progress v2 2/3 files, 729/3729 bytes
        fetch 8 /app.js /app.js
        timer idle 8 15000 ms
        timer idle 8 30000 ms
        notice progress v2 2/3 files, 3729/3729 bytes
        no timer idle 8
        notice progress v2 3/3 files, 3729/3729 bytes
        timer collectGarbage 60000 ms
        log became-pending v2 verified=every-byte unchanged=by-hash order=serial orders=yes native=range
        notice newVersionReady v2
        """,
        "again": """
        fetch 9 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1, c, u
        timer idle 9 15000 ms
        timer idle 9 30000 ms
        no timer idle 9
        log already-pending v2
        """,
        "coded": """
        fetch 1 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 1 15000 ms
        timer idle 1 30000 ms
        cancel 1
        no timer idle 1
        log coding-refused check: coding=gzip
        notice error coding-refused check: coding=gzip
        timer retry 1048 ms
        """,
        "announced": """
        fetch 2 manifest /app/manifest.json attempt 2 for com.example.shop, this device, stable, 1.0, \
        v1 Cache-Control=no-cache
        timer idle 2 15000 ms
        no timer retry
        timer idle 2 30000 ms
        cancel 2
        no timer idle 2
        log manifest-too-large check: bytes=2001
        notice error manifest-too-large check: bytes=2001
        timer retry 2066 ms
        """,
        "received": """
        fetch 3 manifest /app/manifest.json attempt 3 for com.example.shop, this device, stable, 1.0, \
        v1 Cache-Control=no-cache
        timer idle 3 15000 ms
        no timer retry
        timer idle 3 30000 ms
        cancel 3
        no timer idle 3
        log manifest-too-large check: bytes=2001
        timer retry 4996 ms
        """,
        "moved": """
        fetch 4 manifest /app/manifest.json attempt 4 for com.example.shop, this device, stable, 1.0, \
        v1 Cache-Control=no-cache
        timer idle 4 15000 ms
        no timer retry
        timer idle 4 30000 ms
        cancel 4
        no timer idle 4
        fetch 5 manifest /app/moved attempt 4 for com.example.shop, this device, stable, 1.0, v1 \
        Cache-Control=no-cache
        timer idle 5 15000 ms
        timer idle 5 30000 ms
        no timer idle 5
        log nothing-offered
        """,
        "away": """
        fetch 6 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 6 15000 ms
        timer idle 6 30000 ms
        cancel 6
        no timer idle 6
        log redirect-refused check: to=https://evil.example/
        notice error redirect-refused check: to=https://evil.example/
        timer retry 1048 ms
        """,
        "busy": """
        fetch 7 manifest /app/manifest.json attempt 2 for com.example.shop, this device, stable, 1.0, v1
        timer idle 7 15000 ms
        no timer retry
        timer idle 7 30000 ms
        no timer idle 7
        log status-refused check: manifest status=429
        notice error status-refused check: manifest status=429
        timer retry 10000 ms
        """,
        "waits": """
        log origin-asked-to-wait wish=app
        timer retry 10000 ms
        timer retry 10000 ms
        timer retry 10000 ms
        timer retry 10000 ms
        fetch 8 manifest /app/manifest.json attempt 3 for com.example.shop, this device, stable, 1.0, v1
        timer idle 8 15000 ms
        timer idle 8 30000 ms
        no timer idle 8
        log nothing-offered
        """,
        "joined": """
        fetch 1 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 1 15000 ms
        log check-joined wish=page
        log check-joined wish=user
        log check-joined wish=push
        """,
        "dropped": """
        cancel 1
        no timer idle 1
        log check-dropped wish=app the settings changed
        fetch 2 manifest /app/manifest.json attempt 2 for com.example.shop, this device, stable, 1.0, \
        v1, beta
        timer idle 2 15000 ms
        timer collectGarbage 60000 ms
        """,
        "off": """
        cancel 2
        no timer idle 2
        log check-dropped wish=app updates are off
        log updates-off wish=app
        """,
        "left": """
        fetch 5 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 5 15000 ms
        timer idle 5 30000 ms
        no timer idle 5
        timer recheck 60000 ms
        log left-before v2 waits for a second check
        """,
        "meanwhile": """
        fetch 6 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 6 15000 ms
        timer recheck 5000 ms
        """,
        "taken": """
        cancel 6
        no timer idle 6
        log check-failed check: silent for 15 s
        notice error check-failed check: silent for 15 s
        timer retry 2066 ms
        timer recheck 2066 ms
        fetch 7 manifest /app/manifest.json attempt 2 for com.example.shop, this device, stable, 1.0, v1
        timer idle 7 15000 ms
        timer idle 7 30000 ms
        no timer idle 7
        no timer recheck
        log download-started v2 rows=3
        notice progress v2 2/3 files, 729/3729 bytes
        fetch 8 /app.js /app.js
        timer idle 8 15000 ms
        timer idle 8 30000 ms
        notice progress v2 2/3 files, 3729/3729 bytes
        no timer idle 8
        notice progress v2 3/3 files, 3729/3729 bytes
        log superseded v3 by=v2
        timer collectGarbage 60000 ms
        timer collectGarbage 60000 ms
        log became-pending v2 verified=every-byte unchanged=by-hash order=two-checks orders=yes \
        native=range
        notice newVersionReady v2
        """,
        "bare": """
        log launched native=1.0 front=true boot=boot-1
        screen offline
        page 1 gets nothing
        """,
        "asked": """
        fetch 1 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0
        timer idle 1 15000 ms
        screen loading
        screen loading
        log check-joined wish=own
        """,
        "unanswered": """
        cancel 1
        no timer idle 1
        log check-failed check: silent for 15 s
        notice error check-failed check: silent for 15 s
        screen offline
        fetch 2 manifest /app/manifest.json attempt 2 for com.example.shop, this device, stable, 1.0
        timer idle 2 15000 ms
        """,
        "network": """
        screen offline
        screen loading
        """,
        "first": """
        cancel 2
        no timer idle 2
        log check-failed check: silent for 15 s
        screen offline
        timer retry 1048 ms
        fetch 3 manifest /app/manifest.json attempt 3 for com.example.shop, this device, stable, 1.0
        timer idle 3 15000 ms
        timer idle 3 30000 ms
        no timer idle 3
        log download-started v1 rows=3
        screen loading
        notice progress v1 0/3 files, 0/3729 bytes
        screen loading v1 0/3 files, 0/3729 bytes
        fetch 4 /app.js /app.js
        timer idle 4 15000 ms
        timer idle 4 30000 ms
        notice progress v1 0/3 files, 3000/3729 bytes
        screen loading v1 0/3 files, 3000/3729 bytes
        no timer idle 4
        fetch 5 /index.html /index.html
        timer idle 5 15000 ms
        timer idle 5 30000 ms
        no timer idle 5
        fetch 6 /logo.png /logo.png
        timer idle 6 15000 ms
        timer idle 6 30000 ms
        notice progress v1 0/3 files, 3729/3729 bytes
        screen loading v1 0/3 files, 3729/3729 bytes
        no timer idle 6
        notice progress v1 1/3 files, 3729/3729 bytes
        screen loading v1 1/3 files, 3729/3729 bytes
        notice progress v1 2/3 files, 3729/3729 bytes
        screen loading v1 2/3 files, 3729/3729 bytes
        notice progress v1 3/3 files, 3729/3729 bytes
        screen loading v1 3/3 files, 3729/3729 bytes
        timer collectGarbage 60000 ms
        log became-pending v1 verified=every-byte unchanged=by-hash order=serial orders=yes native=range
        current v1
        screen none
        ready
        log switched v1 moment=processStart
        log start-marked v1
        page 2 gets v1
        no timer startup
        no timer sendingAllowance
        timer cover 20000 ms
        timer startup 20000 ms
        no timer sendingAllowance
        timer cover 20000 ms
        no timer cover
        timer startup 20000 ms
        no timer sendingAllowance
        """,
    ]
}
