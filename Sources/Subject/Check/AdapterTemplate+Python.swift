extension AdapterTemplate {
    package static let python = AdapterTemplate(name: "python", file: "adapter.py", text: #"""
        """#)
}
