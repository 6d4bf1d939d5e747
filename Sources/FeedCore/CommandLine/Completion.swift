/// Completion scripts for bash, zsh and fish, made from the option table.
enum Completion {
  enum Shell: String, CaseIterable { case bash, zsh, fish }

  static func script(for shell: Shell, of tool: ToolSpec) -> String {
    switch shell {
    case .bash: bash(tool)
    case .zsh: zsh(tool)
    case .fish: fish(tool)
    }
  }

  /// Runs in bash 3.2 too, which is macOS's: no `mapfile`, no `compopt`.
  private static func bash(_ tool: ToolSpec) -> String {
    let function = "_" + tool.name.map { $0 == "-" ? "_" : String($0) }.joined()
    func names(_ option: OptionSpec) -> [String] { (option.letter.map { ["-\($0)"] } ?? []) + ["--" + option.name] }
    func choice(_ words: [String]) -> String { "list=(-W '\(words.joined(separator: " "))')" }
    func row(_ options: [OptionSpec], _ command: String) -> String {
      options.isEmpty ? "" : "    \(options.flatMap(names).joined(separator: "|"))) \(command);;\n"
    }

    let operands = tool.operands == .command ? "-c -f" : "-f"
    var cases = row(tool.options.filter { $0.value?.completion == OptionValueForm.ValueCompletion.none }, "return ")
    cases += row(tool.options.filter { $0.value?.completion == .file }, tool.operands == .command ? "list=(-f) " : "")
    for option in tool.options {
      switch option.value?.completion {
      case .words(let words)?, .beginnings(let words)?: cases += row([option], choice(words) + " ")
      case .none?, .file?, .command?, nil: break
      }
    }
    return """
      # bash completion for \(tool.name); made by: \(tool.name) --completion bash
      \(function)() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} list=(\(operands)) word
        COMPREPLY=()
        # bash makes three words of --name=value.
        if [[ $current == = ]]; then
          current=
        elif [[ $previous == = ]]; then
          previous=${COMP_WORDS[COMP_CWORD - 2]}
        fi
        case $previous in
      \(cases)    *)
            if [[ $current == -* ]]; then
              \(choice(tool.options.flatMap(names)))
            \(tool.operands == .none ? "else\n        return\n      fi" : "fi") ;;
        esac
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "${list[@]}" -- "$current")
      }
      complete -o filenames -F \(function) \(tool.name)

      """
  }

  private static func zsh(_ tool: ToolSpec) -> String {
    var rows: [String] = []
    for option in tool.options {
      let names = (option.letter.map { ["-\($0)"] } ?? []) + ["--" + option.name]
      func escaped(_ text: String) -> String { text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined() }
      var action = ""
      if let form = option.value {
        switch form.completion {
        case .none, .command: action = ":\(escaped(form.name)):"
        case .file: action = ":\(escaped(form.name)):_files"
        case .words(let words), .beginnings(let words):
          action = ":value:(\(escaped(words.joined(separator: " "))))"
        }
      }
      let help = escaped(option.help)
      for name in names {
        // `+` and `=`: the value may be attached.
        let attach = option.value == nil ? "" : name.hasPrefix("--") ? "=" : "+"
        rows.append("  " + singleQuoted("*" + name + attach + "[" + help + "]" + action))
      }
    }
    switch tool.operands {
    case .command: rows += ["  '(-)1:command:_command_names -e'", "  '*::operand:_normal'"]
    case .file: rows.append("  '*:operand:_files'")
    case .none, .words, .beginnings: rows.append("  '*:operand:_urls'")
    }
    return """
      #compdef \(tool.name)
      # zsh completion for \(tool.name); made by: \(tool.name) --completion zsh
      _arguments -s -S \\
      \(rows.joined(separator: " \\\n"))

      """
  }

  private static func fish(_ tool: ToolSpec) -> String {
    var lines = ["# fish completion for \(tool.name); made by: \(tool.name) --completion fish"]
    switch tool.operands {
    case .command:
      let valued = tool.options.filter { $0.value != nil }.map { "--\($0.name)" }.joined(separator: " ")
      lines.append("complete -c \(tool.name) -x -a '(__fish_complete_subcommand -- \(valued))'")
    case .file: break
    case .none, .words, .beginnings: lines.append("complete -c \(tool.name) -f")
    }
    for option in tool.options {
      var line = "complete -c \(tool.name)"
      if let letter = option.letter { line += " -s \(letter)" }
      line += " -l \(option.name)"
      if let form = option.value {
        switch form.completion {
        case .none, .command: line += " -x"
        case .file: line += " -r -F"
        case .words(let words), .beginnings(let words): line += " -x -a '\(words.joined(separator: " "))'"
        }
      }
      lines.append(line + " -d " + singleQuoted(option.help, escape: "\\'"))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A shell word in single quotes; `escape` is how a quote inside is written.
  private static func singleQuoted(_ text: String, escape: String = "'\\''") -> String {
    "'" + text.map { $0 == "'" ? escape : String($0) }.joined() + "'"
  }
}
