/// Shell scripts that complete command lines, made from the option table.
enum Completions: String, CaseIterable {
    case bash, zsh, fish

    var script: String {
        switch self {
        case .bash: Bash.script
        case .zsh: Zsh.script
        case .fish: Fish.script
        }
    }

    /// The text in single quotes of a shell.
    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    /// The flags that undo switches.
    private static func opposites(_ verb: Verb) -> [(name: String, help: String)] {
        verb.options.filter(\.isSwitch).map { ($0.opposite, "undoes \($0.name)") }
    }

    private enum Bash {
        static var script: String {
            var text = """
                # bash completion of otalab:  source <(otalab completions bash)
                _otalab() {
                    local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
                    COMPREPLY=()
                    if [ "$COMP_CWORD" -eq 1 ]; then
                        COMPREPLY=($(compgen -W '\(Verb.all.map(\.name).joined(separator: " "))' -- "$current"))
                        return
                    fi
                    local flags='' words=''
                    case "${COMP_WORDS[1]}" in

                """
            for verb in Verb.all { text += entry(verb) }
            return text + """
                    esac
                    if [[ "$current" == -* ]]; then
                        COMPREPLY=($(compgen -W "$flags" -- "$current"))
                    else
                        COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
                    fi
                }
                complete -o filenames -F _otalab otalab

                """
        }

        private static func entry(_ verb: Verb) -> String {
            var text = "        \(verb.name))\n"
            let flags =
                verb.flags.flatMap { [$0.name] + ($0.short.map { [$0] } ?? []) } + opposites(verb).map(\.name)
            text +=
                "            flags='\(flags.joined(separator: " "))' words='\(verb.offered.joined(separator: " "))'\n"
            text += "            case \"$before\" in\n"
            for option in verb.flags where option.value != nil && !option.valueIsOptional {
                let names = [option.short, option.name].compactMap { $0 }.joined(separator: "|")
                text += "                \(names)) COMPREPLY=(\(reply(option.offer))); return ;;\n"
            }
            return text + "            esac ;;\n"
        }

        private static func reply(_ offer: Option.Offer) -> String {
            switch offer {
            case .nothing: ""
            case .files: "$(compgen -f -- \"$current\")"
            case .folders: "$(compgen -d -- \"$current\")"
            case .choices(let choices): "$(compgen -W '\(choices.joined(separator: " "))' -- \"$current\")"
            }
        }
    }

    private enum Zsh {
        static var script: String {
            var text = """
                #compdef otalab
                # zsh completion of otalab:  source <(otalab completions zsh)
                _otalab() {
                    local -a verbs
                    verbs=(

                """
            for verb in Verb.all {
                text += "        \(quoted("\(verb.name):\(plain(verb.summary))"))\n"
            }
            text += """
                    )
                    if (( CURRENT == 2 )); then
                        _describe verb verbs
                        return
                    fi
                    local verb=$words[2]
                    shift words
                    (( CURRENT-- ))
                    case $verb in

                """
            for verb in Verb.all { text += entry(verb) }
            return text + """
                    esac
                }
                if [ "$funcstack[1]" = _otalab ]; then _otalab "$@"; else compdef _otalab otalab; fi

                """
        }

        private static func entry(_ verb: Verb) -> String {
            var text = "        \(verb.name)) _arguments"
            for option in verb.flags {
                for name in [option.short, option.name].compactMap({ $0 }) {
                    let value =
                        option.valueIsOptional
                        ? "" : option.value.map { ":\(plain($0)):\(action(option.offer))" } ?? ""
                    text += " \\\n            \(quoted("*\(name)[\(plain(option.help))]\(value)"))"
                }
            }
            for opposite in opposites(verb) {
                text += " \\\n            \(quoted("*\(opposite.name)[\(plain(opposite.help))]"))"
            }
            let rest = verb.offered.isEmpty ? "_files" : "(\(verb.offered.joined(separator: " ")))"
            return text + " \\\n            \(quoted("*:what:\(rest)")) ;;\n"
        }

        private static func action(_ offer: Option.Offer) -> String {
            switch offer {
            case .nothing: " "
            case .files: "_files"
            case .folders: "_files -/"
            case .choices(let choices): "(\(choices.joined(separator: " ")))"
            }
        }

        /// The text without brackets and colons, because those separate the fields of a specification.
        private static func plain(_ text: String) -> String {
            text.replacing("[", with: "(").replacing("]", with: ")").replacing(":", with: ",")
        }
    }

    private enum Fish {
        static var script: String {
            var text =
                "# fish completion of otalab:  otalab completions fish | source\ncomplete -c otalab -f\n"
            for verb in Verb.all {
                text +=
                    "complete -c otalab -n __fish_use_subcommand -a \(verb.name) -d \(quoted(verb.summary))\n"
            }
            for verb in Verb.all {
                let when = "-n '__fish_seen_subcommand_from \(verb.name)'"
                for option in verb.flags { text += "complete -c otalab \(when) \(entry(option))\n" }
                for opposite in opposites(verb) {
                    let help = quoted(opposite.help)
                    text += "complete -c otalab \(when) -l \(opposite.name.dropFirst(2)) -d \(help)\n"
                }
                let words = verb.offered.joined(separator: " ")
                text +=
                    words.isEmpty
                    ? "complete -c otalab \(when) -F\n" : "complete -c otalab \(when) -a \(quoted(words))\n"
            }
            return text
        }

        private static func entry(_ option: Option) -> String {
            var text = "-l \(option.name.dropFirst(2))"
            if let short = option.short { text += " \(short.count == 2 ? "-s" : "-o") \(short.dropFirst())" }
            switch option.offer {
            case .nothing: if option.value != nil, !option.valueIsOptional { text += " -x" }
            case .files: text += " -r -F"
            case .folders: text += " -x -a '(__fish_complete_directories)'"
            case .choices(let choices): text += " -x -a \(quoted(choices.joined(separator: " ")))"
            }
            return text + " -d \(quoted(option.help))"
        }
    }
}
