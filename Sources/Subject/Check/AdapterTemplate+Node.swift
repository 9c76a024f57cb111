extension AdapterTemplate {
    package static let node = AdapterTemplate(name: "node", file: "adapter.mjs", text: #"""
        """#)
}
