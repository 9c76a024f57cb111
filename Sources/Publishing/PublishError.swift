import Core
import Updater

/// Why nothing was published. The folder still holds the release that it held before.
package enum PublishError: Error, Hashable, Sendable {
    /// Another publication into this folder is under way.
    case inUse
    /// A manifest in the folder is none of otalab's dialect, or has no serial.
    case foreignManifest(String)
    /// The folder's manifests are of another dialect.
    case otherDialect(published: ReleaseDialect, given: ReleaseDialect)
    /// The dialect can't state this.
    case unsayable(String, ReleaseDialect)
    /// A publication's serial must be higher than that of the one before.
    case lowSerial(given: Int, newest: Int)
    /// The folder belongs to another app.
    case otherApp(published: String, given: String)
    /// The first publication must name the app.
    case noApp
    /// Something was to be published again, and there is nothing yet.
    case noRelease
    /// A release for a share of the devices needs one behind it for the others.
    case shareOfFirst
    /// This id was published with other files.
    case idInUse(String, serial: Int)
    /// The version that is offered is among those that no device may run.
    case recallsItself(String)
    /// Devices outside a rollout would be led through more manifests than an updater requests.
    case tooManyRollouts
    /// An entry of the build is no regular file: a link, a pipe.
    case notAFile(String)
    /// A file of the build changed while it was read.
    case buildChanged(String)
    /// What is offered has no files: the order to go back to the version inside the app.
    case nothingToEmbed
    /// A published file has other bytes than its manifest says.
    case damaged(String)
    /// The updater would refuse the manifest.
    case refused(ManifestRefusal)
    /// The key can't sign.
    case notSigned(keyID: String)
    /// The release before is signed, so that apps may have keys, and this one would not be.
    case unsigned
    case disk(DiskError)
}

extension PublishError {
    package var message: String {
        switch self {
        case .inUse: "another publication into this folder is under way"
        case .foreignManifest(let why):
            "a manifest in this folder was not written by 'otalab publish': \(why)"
        case .otherDialect(let published, let given):
            "this folder has manifests of the dialect '\(published.rawValue)', not '\(given.rawValue)'"
        case .unsayable(let what, let dialect):
            "a manifest of the dialect '\(dialect.rawValue)' can't state \(what)"
        case .lowSerial(let given, let newest):
            "the serial \(given) is not higher than \(newest), which is published"
        case .otherApp(let published, let given): "this folder is of the app '\(published)', not '\(given)'"
        case .noApp: "the first release must say which app it is for"
        case .noRelease: "nothing is published in this folder yet"
        case .shareOfFirst: "the first release of a folder can't be for a share of the devices"
        case .idInUse(let id, let serial):
            "the version '\(id)' was published with other files, as serial \(serial)"
        case .recallsItself(let id): "the version '\(id)' is recalled, and this release offers it"
        case .tooManyRollouts: "\(Rollout.maxHops) unfinished rollouts follow each other already"
        case .notAFile(let path): "'\(path)' is not a regular file"
        case .buildChanged(let path): "'\(path)' changed while it was being published"
        case .nothingToEmbed: "what is offered now has no files that an app could embed"
        case .damaged(let name): "'\(name)' has other bytes than the manifest says"
        case .refused(let refusal): "updaters would refuse this: \(refusal.cause.rawValue) \(refusal.detail)"
        case .notSigned(let id): "the key '\(id)' can't sign"
        case .unsigned:
            "the release before is signed, and this one would not be: apps that have keys refuse it"
        case .disk(let error): "\(error)"
        }
    }

    package var help: String {
        switch self {
        case .inUse: "wait until it has ended; a publication that was killed holds nothing up"
        case .foreignManifest: "publish into another folder, or move that file away"
        case .otherDialect: "each dialect has a folder of its own: apps read one of them"
        case .unsayable: "leave it out, or publish in otalab's own dialect, into another folder"
        case .lowSerial: "leave --serial out: the next one is chosen"
        case .otherApp: "each app has a folder of its own"
        case .noApp: "name it as the app does: --app com.example.shop"
        case .noRelease: "name a web build: otalab publish BUILD --to FOLDER --app ID"
        case .shareOfFirst: "publish one for all devices first: the others get that one"
        case .idInUse: "give these files an id of their own with --id, or leave it out"
        case .recallsItself:
            "publish another build, or --order embedded, with the recall; --unrecall ends one"
        case .tooManyRollouts: "finish one: publish it without --share"
        case .notAFile: "replace links by what they point to: cp -RL copies a folder that way"
        case .buildChanged: "publish when the build has ended"
        case .nothingToEmbed: "publish a build: otalab publish BUILD --to FOLDER"
        case .damaged: "publish the same build again: what is wrong is written anew"
        case .refused: "'otalab lint --release BUILD' lists all problems of a build"
        case .notSigned: "'otalab keys show FILE' says whether the file holds a key"
        case .unsigned: "sign it with --sign KEY, or say --unsigned if no app has keys any more"
        case .disk: "nothing was changed for apps; make room or mend access, then publish again"
        }
    }
}
