import { schemeOf } from '../base/scheme.ts';
import { shellWord } from '../base/shell-word.ts';

/** By scheme, the command of a store that prints an object to stdout. */
const COMMANDS: Readonly<Record<string, (url: string) => string>> = {
  s3: url => `aws s3 cp ${shellWord(url)} -`,
  gs: url => `gcloud storage cat ${shellWord(url)}`,
  az(url) {
    const [, container = '', key = ''] = /^az:\/\/([^/]*)\/(.*)$/is.exec(url) ?? [];
    return `az storage blob download --only-show-errors -c ${shellWord(container)} -n ${shellWord(key)}`;
  },
  http: url => `curl -fsSL ${shellWord(url)}`,
  https: url => `curl -fsSL ${shellWord(url)}`,
};

/** The command that prints what a URL names; undefined for a path, and for a store without such a command. */
export const printCommand = (name: string): string | undefined =>
  COMMANDS[schemeOf(name)?.toLowerCase() ?? '']?.(name);
