import Core
import LocalServer
import Updater

extension AppHost {
    /// Where the app's content and API come from (F9).
    public struct Environment: Hashable, Sendable {
        /// The origin's URL, as ``UpdaterSettings`` has it.
        public var origin: String
        public var channel: String
        /// Where API requests go; nil: they get 502.
        public var remote: RemoteRoot?

        public init(origin: String, channel: String, remote: RemoteRoot?) {
            self.origin = origin
            self.channel = channel
            self.remote = remote
        }
    }

    /// The page points the whole app at another environment: content, channel and API (F9, for testing). The
    /// page is loaded again at once; what the other origin offers is loaded when it is complete, because the
    /// page requested it (U6). Another origin or channel is another origin line (U9).
    mutating func switchEnvironment(_ params: JSONNode?, _ id: JSONNode?, _ reply: ReplyAddress) {
        guard allowsTestMessage("switchEnvironment", id, reply), var settings = launch?.updater.settings
        else {
            return
        }
        let previous = settings
        do throws(EnvironmentError) {
            try change(&settings, params)
            let remote = try remoteRoot(params) ?? launch?.remote
            guard settings != previous || remote != launch?.remote else {
                throw EnvironmentError(reason: "wants another origin, channel or remoteRoot")
            }
            launch?.updater.settings = settings
            setRemoteRoot(remote)
        } catch {
            return refuse("switchEnvironment \(error.reason)", id, reply)
        }
        environment = EnvironmentSwitch(isAwaited: settings != previous)
        partEvents.append(.updater(.settings(settings)))
        if settings != previous, settings.updates != .automatic { partEvents.append(.updater(.check(.page))) }
        send(BridgeJSON.result("switchEnvironment", id) { $0.bool(true) }, reply)
        effects.append(
            .environmentSwitched(
                Environment(origin: settings.origin, channel: settings.channel, remote: launch?.remote)))
        load(.first, .navigation, nil)
    }

    /// The page points the API alone elsewhere.
    mutating func pageSetsRemoteRoot(_ params: JSONNode?, _ id: JSONNode?, _ reply: ReplyAddress) {
        guard allowsTestMessage("setRemoteRoot", id, reply) else { return }
        do throws(RemoteRoot.InvalidURL) {
            setRemoteRoot(try RemoteRoot(params?["url"]?.string ?? ""))
        } catch {
            return refuse("setRemoteRoot: \(error.rawValue)", id, reply)
        }
        send(BridgeJSON.result("setRemoteRoot", id) { $0.bool(true) }, reply)
    }

    private mutating func allowsTestMessage(_ method: String, _ id: JSONNode?, _ reply: ReplyAddress) -> Bool
    {
        if launch?.allowsTestMessages == true { return true }
        refuse("\(method) is off in this build", id, reply)
        return false
    }

    private mutating func setRemoteRoot(_ remote: RemoteRoot?) {
        launch?.remote = remote
        if let remote { partEvents.append(.server(.remoteRoot(remote))) }
    }

    private struct EnvironmentError: Error {
        var reason: String
    }

    private func change(_ settings: inout UpdaterSettings, _ params: JSONNode?) throws(EnvironmentError) {
        if let node = params?["origin"] {
            guard let url = node.string, URLParts(url).isSecure != nil,
                URLParts(url).authority?.isEmpty == false
            else { throw EnvironmentError(reason: "wants an http or https URL as origin") }
            settings.origin = url
        }
        if let node = params?["channel"] {
            guard let channel = node.string, !channel.isEmpty, channel.utf8.count <= 100 else {
                throw EnvironmentError(reason: "wants a name as channel")
            }
            settings.channel = channel
        }
    }

    private func remoteRoot(_ params: JSONNode?) throws(EnvironmentError) -> RemoteRoot? {
        guard let node = params?["remoteRoot"] else { return nil }
        do {
            return try RemoteRoot(node.string ?? "")
        } catch {
            throw EnvironmentError(reason: "wants a root of an API as remoteRoot: \(error.rawValue)")
        }
    }

    /// The version that the other environment offered is complete: it becomes current.
    mutating func takeUpEnvironment(_ notice: Updater.Notice) {
        guard case .newVersionReady = notice, environment.isAwaited else { return }
        environment.isAwaited = false
        let token = secrets.newToken()
        environment.request = token
        partEvents.append(.updater(.switchRequested(token)))
    }

    /// - Returns: whether the updater's answer was about the environment.
    mutating func environmentAnswered(_ token: PageLoadToken, _ answer: Updater.SwitchAnswer) -> Bool {
        guard environment.request == token else { return false }
        environment.request = nil
        if case .switched = answer { load(.first, .commanded, nil) }
        return true
    }
}

/// A page's switch of the environment that is not complete.
struct EnvironmentSwitch: Sendable {
    /// The first version of the other environment is loaded as soon as it is complete.
    var isAwaited = false
    /// Names the host's request to switch to that version.
    var request: PageLoadToken?
}
