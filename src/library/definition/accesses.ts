import { dirname, relative } from 'node:path';
import { isPathOf, type Option, type Options } from '../../base/options/option.ts';
import { homeOption, protocolOption } from '../../base/options/service.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { schemeOf } from '../../base/scheme.ts';
import { redacted } from '../../client/base-url.ts';
import { chooseService, connectionOf, type Given, homeOf } from '../service/choose-service.ts';
import { sections } from './definition-schema.ts';
import type { MemberPath } from './document.ts';
import type { LocatedDefinition } from './inspect-definition.ts';

/** The options of the section `score`, which has the keys of `service` too. */
const scoreSection: Options = { ...sections.service, ...sections.score, ...homeOption };

/** What is read among the options that are paths. All others are written. */
const READ = ['input', 'compare', 'history', 'api-key-file', 'client-cert', 'client-key', 'ca-file'];
const EVALUATED = ['scored', 'labels', 'earlier'];

/** Options that count for the url of a definition only. */
const OF_URL = ['api-key-file', 'client-cert', 'client-key', 'ca-file'];

/**
 * What a definition reads, writes and sends, without what flags and the environment decide: those are the user's own.
 *
 * @param uses whether the command uses an option; by default, it uses all
 * @throws RowcastError as `chooseService`
 */
export function accessesOf(
  definition: LocatedDefinition,
  given: Given,
  uses: (name: string) => boolean = () => true,
): Access[] {
  const { score, train, evaluate } = definition;
  const { isDefined } = connectionOf({ ...given, defined: score });
  const isGiven = (path: MemberPath, name: string): boolean =>
    definition.isSet(path) ||
    (path[0] !== 'train' && given.flags[name] !== undefined) ||
    (name === 'input' && given.flags['input-env'] !== undefined);
  const accesses: Access[] = [];
  const addFiles = (
    options: Options,
    section: LocatedDefinition['score'],
    pathOf: (name: string) => MemberPath,
  ) => {
    for (const [name, value] of Object.entries(section)) {
      const path = pathOf(name);
      const isUsed = uses(path[0] === 'evaluate' ? path.join('.') : name);
      if (!isPath(options[name], value) || !isUsed || isGiven(path, name)) continue;
      if (OF_URL.includes(name) && !isDefined) continue;
      for (const what of [value].flat().map(String))
        accesses.push({
          path,
          does: [...READ, ...EVALUATED].includes(name) ? 'read' : 'write',
          what,
          isFile: true,
          refusal: refusalOf(definition.file, what),
        });
    }
  };
  if (train !== undefined) {
    addFiles(sections.train, train, name => ['train', name]);
    if (uses('history')) accesses.push(reportToTrain(definition, given));
  }
  if (evaluate !== undefined) addFiles(sections.evaluate, evaluate, name => ['evaluate', name]);
  addFiles(scoreSection, score, pathInScore);
  for (const { name, accessOf } of ofScore) {
    const { [name]: value } = score;
    const path = ['score', name];
    if (value !== undefined && uses(name) && !isGiven(path, name))
      accesses.push({ path, ...accessOf(String(value)) });
  }
  if (uses('store-options')) accesses.push(...storeAccesses(definition, given));
  if (uses('url')) accesses.push(...serviceAccesses(definition, given));
  return accesses;
}

const OF_ENVIRONMENT = 'a URL in the environment may hold a secret';

/** What options of `score` besides paths do: an input that a variable names, and whom a definition tells at its end. */
const ofScore: readonly { name: string; accessOf: (value: string) => Omit<Access, 'path'> }[] = [
  {
    name: 'input-env',
    accessOf: variable => ({ does: 'read', what: `the URL in ${variable}`, refusal: OF_ENVIRONMENT }),
  },
  {
    name: 'notify-env',
    accessOf: variable => ({
      does: 'send',
      what: 'the summary',
      to: `the URL in ${variable}`,
      refusal: OF_ENVIRONMENT,
    }),
  },
  {
    name: 'on-end',
    accessOf: what => ({ does: 'run', what, refusal: 'a command may do anything on this machine' }),
  },
];

/** Where a member of the merged section is in the definition. */
function pathInScore(name: string): MemberPath {
  if (name === 'home') return ['home'];
  return [Object.hasOwn(sections.service, name) ? 'service' : 'score', name];
}

const isPath = (option: Option | undefined, value: unknown): boolean =>
  option !== undefined && isPathOf(option, value);

/** Why a definition must not read or write a path, by its name alone. */
export function refusalOf(file: string, path: string): string | undefined {
  if (path === '-') return undefined;
  if (schemeOf(path) !== undefined) return 'it is not below the folder of the definition';
  const [first = '', ...rest] = relative(dirname(file), path).split('/');
  if (first === '..') return 'it is not below the folder of the definition';
  // Programs take settings and commands from hidden files.
  const isHidden = [first === '.rowcast' ? '' : first, ...rest].some(part => part.startsWith('.'));
  return isHidden ? 'it is hidden' : undefined;
}

/** A trained report may replace one that somebody uses. */
function reportToTrain({ file, train }: LocatedDefinition, given: Given): Access {
  const home = homeOf({ ...given, defined: train });
  const isChosen = given.flags.home !== undefined;
  return {
    path: ['train', 'report'],
    does: 'write',
    what: `the report ${train?.report} in ${home}`,
    refusal:
      isChosen || refusalOf(file, home) === undefined
        ? undefined
        : 'it is not below the folder of the definition',
  };
}

/**
 * What a service gets from a definition, or the report of this machine that is read.
 *
 * @throws RowcastError as `chooseService`
 */
function serviceAccesses({ score }: LocatedDefinition, command: Given): Access[] {
  const given = { ...command, defined: score };
  const address = chooseService(given);
  if (address.kind === 'local')
    return [
      {
        path: ['score', 'report'],
        does: 'read',
        what: `the report ${score.report} in ${address.home}`,
        refusal: undefined,
      },
    ];
  const { isDefined } = connectionOf(given);
  const to = redacted(address.url);
  const sent = (path: MemberPath, what: string, refusal?: string): Access => ({
    path,
    does: 'send',
    what,
    to,
    refusal,
  });
  const ofEnvironment = 'a url of a definition gets nothing secret from the environment';
  const { key, headers = {}, proxy } = address;
  const accesses = [sent(['service', 'url'], 'rows')];
  const refusal = isDefined ? ofEnvironment : undefined;
  if (key?.kind === 'environment')
    accesses.push(sent(['service', 'api-key-env'], `the key in ${key.name}`, refusal));
  if (key?.kind === 'file') accesses.push(sent(['service', 'api-key-file'], `the key in ${key.path}`));
  if (key?.kind === 'cloud')
    accesses.push(
      sent(
        ['service', 'auth'],
        CLOUDS[key.auth],
        isDefined ? `it is what this machine has, not the definition's` : undefined,
      ),
    );
  for (const [name, variable] of Object.entries(headers))
    accesses.push(
      sent(['service', 'header-env'], `the header ${name} with the value of ${variable}`, refusal),
    );
  if (proxy !== undefined && isDefined)
    accesses.push({
      path: ['service', 'proxy'],
      does: 'send',
      what: 'requests, through a proxy',
      to: redactedProxy(proxy),
      refusal: undefined,
    });
  const { protocol } = resolveValues(protocolOption, given.flags, score);
  if (protocol === 'custom' && !isDefined && (key !== undefined || Object.keys(headers).length > 0))
    accesses.push(
      sent(
        ['service', 'custom'],
        'requests that it describes',
        'it decides what is done with a key that it did not name',
      ),
    );
  return accesses;
}

const CLOUDS = {
  google: 'a token of Google',
  azure: 'a token of Azure',
  sigv4: 'a signature of AWS',
} as const;

const redactedProxy = (proxy: string): string =>
  proxy === 'env' ? 'the one that the environment names' : redacted(proxy);

/** Options of stores that choose whose credentials are used, or who gets the rows. */
const OF_STORES = ['endpoint', 'profile', 'account', 'encryption-key'];

/** What stores get from a definition besides rows. */
function storeAccesses({ score, train }: LocatedDefinition, { flags }: Given): Access[] {
  const found = [
    ['train', train?.['store-options']],
    ['score', flags['store-options'] === undefined ? score['store-options'] : undefined],
  ] as const;
  return found.flatMap(([section, value]) => {
    const options: Readonly<Record<string, unknown>> = Object(value);
    return Object.entries(options)
      .filter(([name]) => OF_STORES.includes(name))
      .map(([name, text]) => ({
        path: [section, 'store-options', name],
        does: 'send' as const,
        what: name === 'endpoint' ? 'requests for stores' : `requests with this ${name}`,
        to: name === 'endpoint' ? redacted(String(text)) : String(text),
        refusal:
          name === 'endpoint' && String(options.unsigned) === 'true'
            ? undefined
            : 'it decides who gets the rows, or what the credentials of this machine permit',
      }));
  });
}

/** Something that a definition reads, writes or sends. */
export interface Access {
  /** The member that says so. */
  path: MemberPath;
  does: 'read' | 'write' | 'send' | 'run';
  /** A path or URL; for `send`, what is sent; for `run`, a command of the shell. */
  what: string;
  /** Where it is sent. */
  to?: string;
  /** Whether `what` is a path or a URL. */
  isFile?: boolean;
  /** Why a definition of somebody else must not do it; undefined if any definition may. */
  refusal: string | undefined;
}
