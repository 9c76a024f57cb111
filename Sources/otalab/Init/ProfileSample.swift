/// Device profiles that templates recommend; `otalab init` writes them into a new project.
///
/// The texts equal the library's files of the same names; a test checks that.
enum ProfileSample {
    /// Names and texts, sorted by name.
    static let all: [(name: String, text: String)] = [
        ("android-14", android14), ("android-8-go", android8Go), ("ios-17", ios17),
    ]

    private static let android14 = """
        // A phone that is not short of anything, and whose system says why the last process ended.
        {
          schema: 1,
          title: "An Android 14 phone",
          platform: { is: "android", because: "by definition" },
          bootId: { is: "told", because: "Settings.Global.BOOT_COUNT, API 24" },
          exits: { is: { crash: "crash", "not responding": "not responding", user: "user requested",
              "low memory": "low memory", system: "other", "store update": "other" },
            because: "ActivityManager.getHistoricalProcessExitReasons, API 30: REASON_CRASH, _ANR, \
        _USER_REQUESTED, _LOW_MEMORY, _OTHER" },
          backgroundBudget: { is: "60s",
            because: "an assumption: the cached-apps freezer acts some time after the app left the \
        front" },
          socketsSurviveSuspension: { is: true,
            because: "a frozen process keeps its descriptors (kernel documentation, cgroup v2 freezer)" \
        },
          reload: { is: "document only",
            because: "Chromium since 54: location.reload() revalidates the main resource alone" },
          tellsReload: { is: false, because: "WebViewClient.shouldOverrideUrlLoading is not called for \
        a reload" },
          inactiveBeforeSwipe: { is: true,
            because: "Android, Activity state changes: Overview covers the activity completely (onPause, \
        onStop) before the swipe" },
          secFetch: { is: true,
            because: "Chromium: Sec-Fetch-Site and -Mode since 76, -Dest since 80; the WebView is \
        updated apart from the system" },
          cachedPages: { is: 0,
            because: "androidx.webkit, setBackForwardCacheEnabled: off in a WebView until an app turns \
        it on" },
          latency: { is: "50ms", because: "an assumption, as plain" },
          bandwidth: { is: "10 Mbit/s", because: "an assumption, as plain" },
          crashModel: { is: "journal", because: "ext4 data=ordered: kernel documentation, \
        filesystems/ext4/journal" },
          sync: { is: "reaches the medium",
            because: "fsync(2) of Linux flushes the drive's cache, with barriers on (the default)" },
          sectors: { is: "4 KiB", because: "the block of ext4 and F2FS" },
          names: { is: "exact bytes",
            because: "an app's own folder is not case-folded (ext4, F2FS: only shared storage is); a \
        package is a ZIP, whose names are bytes" },
          storage: { is: "16 GiB", because: "an assumption, as plain" },
          diskCall: { is: "15us", because: "an assumption, as plain" },
          fileSync: { is: "8ms", because: "an assumption, as plain" },
          folderSync: { is: "6ms", because: "an assumption, as plain" },
          diskReads: { is: "400 MB/s", because: "an assumption, as plain" },
          diskWrites: { is: "120 MB/s", because: "an assumption, as plain" },
        }

        """

    private static let android8Go = """
        // A small, old phone: slow, full, worn flash, and nobody tells the app why it died.
        {
          schema: 1,
          title: "An Android 8 phone with the Go edition and 1 GB of memory",
          platform: { is: "android", because: "by definition" },
          bootId: { is: "told", because: "Settings.Global.BOOT_COUNT, API 24" },
          exits: { is: {}, because: "getHistoricalProcessExitReasons came with API 30, this is API 26" \
        },
          backgroundBudget: { is: "20s", because: "an assumption: 1 GB of memory, the low-memory killer \
        is near" },
          socketsSurviveSuspension: { is: true,
            because: "there is no freezer yet: a cached process stands still for want of CPU only" },
          reload: { is: "document only", because: "the WebView comes from the store: Chromium since 54" \
        },
          tellsReload: { is: false, because: "WebViewClient.shouldOverrideUrlLoading is not called for \
        a reload" },
          inactiveBeforeSwipe: { is: true,
            because: "Android, Activity state changes: Overview covers the activity completely (onPause, \
        onStop) before the swipe" },
          secFetch: { is: true,
            because: "Chromium: Sec-Fetch-Site and -Mode since 76, -Dest since 80; the WebView is \
        updated apart from the system" },
          cachedPages: { is: 0,
            because: "androidx.webkit, setBackForwardCacheEnabled: off in a WebView until an app turns \
        it on" },
          latency: { is: "150ms", because: "an assumption: a 3G network" },
          bandwidth: { is: "2 Mbit/s", because: "an assumption: a 3G network" },
          crashModel: { is: "journal", because: "ext4 data=ordered: kernel documentation, \
        filesystems/ext4/journal" },
          sync: { is: "reaches the medium",
            because: "fsync(2) of Linux flushes the drive's cache, with barriers on (the default)" },
          sectors: { is: "512 B", because: "an assumption: eMMC of that time promises no more than its \
        sector" },
          names: { is: "exact bytes",
            because: "ext4 before its casefold feature (Linux 5.2); a package is a ZIP, whose names are \
        bytes" },
          storage: { is: "4 GiB", because: "an assumption: what the system leaves of 8 GB" },
          diskCall: { is: "60us", because: "an assumption: a slow core" },
          fileSync: { is: "90ms", because: "an assumption: a full, worn eMMC" },
          folderSync: { is: "60ms", because: "an assumption: a full, worn eMMC" },
          diskReads: { is: "60 MB/s", because: "an assumption: eMMC 5.0, worn" },
          diskWrites: { is: "8 MB/s", because: "an assumption: eMMC 5.0, worn" },
        }

        """

    private static let ios17 = """
        // An iPhone as an app without a crash reporter of its own sees it.
        {
          schema: 1,
          title: "An iPhone with iOS 17",
          platform: { is: "ios", because: "by definition" },
          bootId: { is: "told", because: "sysctl kern.boottime" },
          exits: { is: {},
            because: "MetricKit delivers MXCrashDiagnostic later, not to the next launch's first \
        decision" },
          backgroundBudget: { is: "30s",
            because: "beginBackgroundTask: about 30 s since iOS 13 (seen by many, documented nowhere)" \
        },
          socketsSurviveSuspension: { is: false, because: "Apple TN2277, Networking and Multitasking" },
          reload: { is: "document only", because: "WebKit revalidates the main resource on \
        location.reload()" },
          tellsReload: { is: true, because: "WKNavigationDelegate decidePolicyFor, navigationType \
        .reload" },
          inactiveBeforeSwipe: { is: true,
            because: "Apple, applicationWillResignActive: sent when the user quits the app, \
        as the switcher for the swipe does" },
          secFetch: { is: true, because: "WebKit: Fetch Metadata Request Headers, in Safari since 16.4" },
          cachedPages: { is: 2, because: "WebKit, CacheModel.cpp: two pages of one app from 512 MB of \
        memory on" },
          latency: { is: "50ms", because: "an assumption, as plain" },
          bandwidth: { is: "10 Mbit/s", because: "an assumption, as plain" },
          crashModel: { is: "apple",
            because: "APFS: copy-on-write checkpoints keep the order of metadata, of data nothing is \
        documented" },
          sync: { is: "reaches the medium",
            because: "fcntl(F_FULLFSYNC), as fsync(2) of macOS and iOS says; a plain fsync stops at the \
        drive's cache" },
          sectors: { is: "4 KiB", because: "the block of APFS" },
          names: { is: "any Unicode form",
            because: "Apple File System Guide, FAQ: APFS on iOS tells case apart, and since iOS 11 \
        compares names normalised" },
          storage: { is: "16 GiB", because: "an assumption, as plain" },
          diskCall: { is: "15us", because: "an assumption, as plain" },
          fileSync: { is: "8ms", because: "an assumption, as plain" },
          folderSync: { is: "6ms", because: "an assumption, as plain" },
          diskReads: { is: "400 MB/s", because: "an assumption, as plain" },
          diskWrites: { is: "120 MB/s", because: "an assumption, as plain" },
        }

        """
}
