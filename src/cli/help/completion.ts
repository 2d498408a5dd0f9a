import { flagSpellings, type Option } from '../../base/options/option.ts';
import { type CommandRow, documentedGroups } from '../command-table/command-row.ts';
import { commands } from '../command-table/commands.ts';

/** The documented options of a command. */
const namedOptions = (command: CommandRow) =>
  documentedGroups(command).flatMap(([, options]) =>
    Object.entries(options).map(([name, option]) => ({ name, option })),
  );

/** The words that complete the first word, and those that complete the second word after it. */
const firstWords = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
const secondWords = (first: string): string[] =>
  commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));

/** The script that makes a shell complete commands, options, choices and files. */
export function completionScript(shell: string): string {
  if (shell === 'fish') return fish();
  return shell === 'zsh' ? zsh() : bash();
}

/** Both shells get their words from this: `words` as typed so far, `cur` the one to complete, `prev` the one before. */
function bash(): string {
  const cases = commands.map(command => {
    const flags = namedOptions(command).flatMap(({ name, option }) => flagSpellings(name, option));
    const { choices, kind } = command.positionals?.[0] ?? {};
    const words = [
      ...secondWords(command.name),
      ...(choices ?? []),
      ...(command.name === 'help' ? firstWords : []),
    ];
    return `    '${command.name}') flags='${flags.join(' ')}' words='${words.join(' ')}'${kind === 'path' ? ' files=yes' : ''} ;;`;
  });
  const values = new Map<string, string[]>();
  for (const { name, option } of commands.flatMap(namedOptions)) {
    if (option.kind === 'boolean') continue;
    const action =
      option.choices !== undefined && option.kind === 'text'
        ? option.choices.join(' ')
        : option.kind === 'path'
          ? '@files'
          : '';
    values.set(action, [...new Set([...(values.get(action) ?? []), ...flagSpellings(name, option)])]);
  }
  const valueCases = [...values].map(([action, names]) => {
    const reply =
      action === '@files'
        ? `local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$cur"))`
        : `COMPREPLY=($(compgen -W '${action}' -- "$cur"))`;
    return `    ${names.join('|')}) ${action === '' ? '' : `${reply}; `}return ;;`;
  });
  return `# Completion of rowcast for bash: source <(rowcast completion bash)
_rowcast() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} command='' word files='' flags='--help --version' words='${firstWords.join(' ')}'
  COMPREPLY=()
  case $prev in
${valueCases.join('\n')}
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${command:+$command }$word" in
      ${commands.map(({ name }) => `'${name}'`).join('|')}) command="\${command:+$command }$word" ;;
    esac
  done
  case $command in
${cases.join('\n')}
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    if [[ -n $files ]]; then
      local IFS=$'\\n'
      COMPREPLY+=($(compgen -f -- "$cur"))
    fi
  fi
}
complete -o filenames -F _rowcast rowcast
`;
}

/** bash's function, through the layer of zsh for completions that were written for bash. */
function zsh(): string {
  return `# Completion of rowcast for zsh, after compinit: source <(rowcast completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bash().replace(/^#.*\n/, '')}`;
}

function fish(): string {
  const lines = firstWords.map(first => {
    const command = commands.find(({ name }) => name === first);
    return `complete -c rowcast -n __fish_use_subcommand -f -a ${first} -d ${quoted(command?.describe ?? '')}`;
  });
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ');
    const inner = secondWords(first);
    const condition =
      second === undefined
        ? [
            `__fish_seen_subcommand_from ${first}`,
            ...(inner.length > 0 ? [`not __fish_seen_subcommand_from ${inner.join(' ')}`] : []),
          ]
        : [`__fish_seen_subcommand_from ${first}`, `__fish_seen_subcommand_from ${second}`];
    const when = `complete -c rowcast -n ${quoted(condition.join('; and '))}`;
    for (const word of second === undefined ? inner : [])
      lines.push(
        `${when} -a ${word} -d ${quoted(commands.find(({ name }) => name === `${first} ${word}`)?.describe ?? '')}`,
      );
    for (const word of command.positionals?.[0]?.choices ?? []) lines.push(`${when} -f -a ${word}`);
    for (const { name, option } of namedOptions(command))
      lines.push(`${when} -l ${name}${fishValue(option)} -d ${quoted(option.describe)}`);
  }
  return `# Completion of rowcast for fish: rowcast completion fish > ~/.config/fish/completions/rowcast.fish\n${lines.join('\n')}\n`;
}

function fishValue({ alias, secondName, kind, choices }: Option): string {
  const short = `${secondName === undefined ? '' : ` -l ${secondName}`}${alias === undefined ? '' : ` -s ${alias}`}`;
  if (kind === 'boolean') return short;
  if (kind === 'path') return `${short} -r -F`;
  return `${short} -x${kind === 'text' && choices !== undefined ? ` -a ${quoted(choices.join(' '))}` : ''}`;
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
