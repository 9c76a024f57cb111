/// Version of the program, which every report contains.
package enum ToolVersion {
    package static let current = "0.1.0"
}
