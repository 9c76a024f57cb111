// A stub of Apple's module `CryptoKit`: signatures alone, so that code for it can be type-checked on Linux. It does
// nothing, and nothing is ever linked with it. Only what this package uses, as Apple documents it; not compared
// with an SDK.
import Foundation

public enum Curve25519 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { fatalError() }

            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D)
                -> Bool
            {
                fatalError()
            }
        }
    }
}

public enum P256 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws { fatalError() }

            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool {
                fatalError()
            }
        }

        public struct ECDSASignature: Sendable {
            public init<D: DataProtocol>(derRepresentation: D) throws { fatalError() }
        }
    }
}
