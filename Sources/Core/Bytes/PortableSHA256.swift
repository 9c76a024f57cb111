/// SHA-256's compression function in Swift: the reference that the processor's instructions are tested
/// against, and what runs where a processor has none.
enum PortableSHA256 {
    /// FIPS 180-4 §6.2.2 over `count` blocks of 64 bytes.
    static func compress(_ state: inout SHA256State.Words, _ blocks: UnsafeRawPointer, _ count: Int) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            guard let w = schedule.baseAddress else { return }
            constants.withUnsafeBufferPointer { table in
                guard let k = table.baseAddress else { return }
                var block = blocks
                var left = count
                while left > 0 {
                    expand(block, w)
                    rounds(&state, w, k)
                    block += 64
                    left &-= 1
                }
            }
        }
    }

    @inline(__always)
    private static func expand(_ block: UnsafeRawPointer, _ w: UnsafeMutablePointer<UInt32>) {
        var i = 0
        while i < 16 {
            w[i] = block.loadUnaligned(fromByteOffset: i &* 4, as: UInt32.self).bigEndian
            i &+= 1
        }
        while i < 64 {
            let a = w[i &- 15]
            let b = w[i &- 2]
            let s0 = (a &>> 7 | a &<< 25) ^ (a &>> 18 | a &<< 14) ^ (a &>> 3)
            let s1 = (b &>> 17 | b &<< 15) ^ (b &>> 19 | b &<< 13) ^ (b &>> 10)
            w[i] = w[i &- 16] &+ s0 &+ w[i &- 7] &+ s1
            i &+= 1
        }
    }

    @inline(__always)
    private static func rounds(
        _ state: inout SHA256State.Words, _ w: UnsafeMutablePointer<UInt32>, _ k: UnsafePointer<UInt32>
    ) {
        var (a, b, c, d, e, f, g, h) = state
        var i = 0
        // Eight rounds at a time: the variables change roles, so that no value is moved.
        while i < 64 {
            round(a, b, c, &d, e, f, g, &h, k[i] &+ w[i])
            round(h, a, b, &c, d, e, f, &g, k[i &+ 1] &+ w[i &+ 1])
            round(g, h, a, &b, c, d, e, &f, k[i &+ 2] &+ w[i &+ 2])
            round(f, g, h, &a, b, c, d, &e, k[i &+ 3] &+ w[i &+ 3])
            round(e, f, g, &h, a, b, c, &d, k[i &+ 4] &+ w[i &+ 4])
            round(d, e, f, &g, h, a, b, &c, k[i &+ 5] &+ w[i &+ 5])
            round(c, d, e, &f, g, h, a, &b, k[i &+ 6] &+ w[i &+ 6])
            round(b, c, d, &e, f, g, h, &a, k[i &+ 7] &+ w[i &+ 7])
            i &+= 8
        }
        state.0 = state.0 &+ a
        state.1 = state.1 &+ b
        state.2 = state.2 &+ c
        state.3 = state.3 &+ d
        state.4 = state.4 &+ e
        state.5 = state.5 &+ f
        state.6 = state.6 &+ g
        state.7 = state.7 &+ h
    }

    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
        _ h: inout UInt32, _ added: UInt32
    ) {
        let s1 = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
        let t1 = h &+ s1 &+ (g ^ (e & (f ^ g))) &+ added
        let s0 = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
        d = d &+ t1
        h = t1 &+ s0 &+ ((a & b) | (c & (a | b)))
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7,
        0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc,
        0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351,
        0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e,
        0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585,
        0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f,
        0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]
}
