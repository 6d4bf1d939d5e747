/// The shells for which there are completion scripts, made from the option table.
enum Shell: String, CaseIterable {
  case bash, zsh, fish

  func completion(of tool: ToolSpec) -> String {
    switch self {
    case .bash: Self.bash(tool)
    case .zsh: Self.zsh(tool)
    case .fish: Self.fish(tool)
    }
  }

  /// Runs in bash 3.2 too, which is macOS's: no `mapfile`, no `compopt`.
  private static func bash(_ tool: ToolSpec) -> String {
    let function = "_" + tool.name.map { $0 == "-" ? "_" : String($0) }.joined()
    func choice(_ words: [String]) -> String { "list=(-W '\(words.joined(separator: " "))')" }
    func row(_ options: [OptionSpec], _ command: String) -> String {
      options.isEmpty ? "" : "    \(options.flatMap(\.typedNames).joined(separator: "|"))) \(command);;\n"
    }
    func options(_ completion: OptionValueForm.ValueCompletion) -> [OptionSpec] {
      tool.options.filter { $0.value?.completion == completion }
    }

    var cases = row(options(.none), "return ") + row(options(.file), tool.operands == .command ? "list=(-f) " : "")
    for option in tool.options {
      if let words = option.value?.completion.words { cases += row([option], choice(words) + " ") }
    }
    let operands = tool.operands == .command ? "-c -f" : "-f"
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
              \(choice(tool.options.flatMap(\.typedNames)))
            \(tool.operands == .none ? "else\n        return\n      fi" : "fi") ;;
        esac
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "${list[@]}" -- "$current")
      }
      complete -o filenames -F \(function) \(tool.name)

      """
  }

  private static func zsh(_ tool: ToolSpec) -> String {
    func escaped(_ text: String) -> String { text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined() }
    func action(_ form: OptionValueForm) -> String {
      if let words = form.completion.words { return ":value:(\(escaped(words.joined(separator: " "))))" }
      return ":\(escaped(form.name)):" + (form.completion == .file ? "_files" : "")
    }
    var rows: [String] = []
    for option in tool.options {
      let rest = "[" + escaped(option.help) + "]" + (option.value.map(action) ?? "")
      for name in option.typedNames {
        // `+` and `=`: the value may be attached.
        let attach = option.value == nil ? "" : name.hasPrefix("--") ? "=" : "+"
        rows.append("  " + singleQuoted("*" + name + attach + rest))
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
    func add(_ rest: String) { lines.append("complete -c \(tool.name)" + rest) }
    switch tool.operands {
    case .command:
      let valued = tool.options.filter(\.takesValue).map { "--\($0.name)" }.joined(separator: " ")
      add(" -x -a '(__fish_complete_subcommand -- \(valued))'")
    case .file: break
    case .none, .words, .beginnings: add(" -f")
    }
    func action(_ completion: OptionValueForm.ValueCompletion) -> String {
      if let words = completion.words { return " -x -a '\(words.joined(separator: " "))'" }
      return completion == .file ? " -r -F" : " -x"
    }
    for option in tool.options {
      let names = (option.letter.map { " -s \($0)" } ?? "") + " -l " + option.name
      let rest = (option.value.map { action($0.completion) } ?? "") + " -d "
      add(names + rest + singleQuoted(option.help, escape: "\\'"))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A shell word in single quotes; `escape` is how a quote inside is written.
  private static func singleQuoted(_ text: String, escape: String = "'\\''") -> String {
    "'" + text.map { $0 == "'" ? escape : String($0) }.joined() + "'"
  }
}
