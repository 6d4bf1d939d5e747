// Completion scripts for bash, zsh and fish, made from the option table.

enum Completion {
  static func script(for shell: String, of tool: ToolSpec) -> String {
    switch shell {
    case "bash": bash(tool)
    case "zsh": zsh(tool)
    default: fish(tool)
    }
  }

  private static func bash(_ tool: ToolSpec) -> String {
    let function = "_" + tool.name.map { $0 == "-" ? "_" : String($0) }.joined()
    var cases = ""
    for option in tool.options {
      guard let value = option.value else { continue }
      let names = (option.letter.map { "-\($0)|" } ?? "") + "--" + option.name
      let reply =
        switch value.completion {
        case .none: "COMPREPLY=()"
        case .file: "mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
        case .words(let words): "mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))' -- \"$current\")"
        }
      cases += "    \(names)) \(reply); return ;;\n"
    }
    let names = tool.options.map { (option: OptionSpec) in (option.letter.map { "-\($0) " } ?? "") + "--" + option.name }
    let operands = tool.operands == .file ? "mapfile -t COMPREPLY < <(compgen -f -- \"$current\")" : "COMPREPLY=()"
    return """
      # bash completion for \(tool.name); made by: \(tool.name) --completion bash
      \(function)() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
        case $previous in
      \(cases)  esac
        if [[ $current == -* ]]; then
          mapfile -t COMPREPLY < <(compgen -W '\(names.joined(separator: " "))' -- "$current")
        else
          \(operands)
        fi
      }
      complete -o filenames -F \(function) \(tool.name)

      """
  }

  private static func zsh(_ tool: ToolSpec) -> String {
    var rows: [String] = []
    for option in tool.options {
      let names = (option.letter.map { ["-\($0)"] } ?? []) + ["--" + option.name]
      var action = ""
      if let value = option.value {
        let name = value.name.map { $0 == ":" ? "\\:" : String($0) }.joined()
        switch value.completion {
        case .none: action = ":\(name):"
        case .file: action = ":\(name):_files"
        case .words(let words): action = ":value:(\(words.joined(separator: " ")))"
        }
      }
      let help = option.help.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
      for name in names {
        // `+` and `=`: the value may be attached.
        let attach = option.value == nil ? "" : name.hasPrefix("--") ? "=" : "+"
        rows.append("  " + singleQuoted("*" + name + attach + "[" + help + "]" + action))
      }
    }
    rows.append("  " + singleQuoted("*:operand:" + (tool.operands == .file ? "_files" : "_urls")))
    return """
      #compdef \(tool.name)
      # zsh completion for \(tool.name); made by: \(tool.name) --completion zsh
      _arguments -s -S \\
      \(rows.joined(separator: " \\\n"))

      """
  }

  private static func fish(_ tool: ToolSpec) -> String {
    var lines = ["# fish completion for \(tool.name); made by: \(tool.name) --completion fish"]
    for option in tool.options {
      var line = "complete -c \(tool.name)"
      if let letter = option.letter { line += " -s \(letter)" }
      line += " -l \(option.name)"
      if let value = option.value {
        switch value.completion {
        case .none: line += " -x"
        case .file: line += " -r -F"
        case .words(let words): line += " -x -a '\(words.joined(separator: " "))'"
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
