import assert from 'node:assert/strict';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { listen } from '../support/listen.ts';

const secret = 'a-secret-of-this-user-3f9c';
const score = 'score: { input: in.csv, output: out.csv, report: r }';

/** The folder of a definition from an archive, one of the user next to it, and a server that keeps what it hears. */
async function bench(t: TestContext) {
  const { path, run, write, read } = await commandsIn(t, {
    'downloaded/in.csv': 'id,plan\n1,a\n2,b\n',
    'home/key': `${secret}\n`,
    'home/own.csv': `id,plan\n1,${secret}\n`,
  });
  const folder = path('downloaded');
  const heard: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
    response.writeHead(404).end('{}');
  });
  return {
    folder,
    home: path('home'),
    url: await listen(t, server),
    heard,
    read,
    /** Runs a command, by default `run`, with this definition. */
    async run(definition: string, line = 'run', env: Record<string, string> = {}) {
      await write('downloaded/d.yaml', definition);
      return run(`${line} d.yaml`, { env, cwd: folder });
    },
  };
}

type Bench = Awaited<ReturnType<typeof bench>>;

/** Asserts that a definition is refused for its member at a line, before anything is sent or written. */
async function assertRefused(found: Bench, definition: string, said: RegExp, env = {}): Promise<void> {
  const before = await readdir(dirname(found.folder), { recursive: true });
  for (const command of ['run', 'plan', 'check']) {
    const refusal = /^rowcast: d\.yaml:\d+: .*\[untrusted_definition\]\n/m;
    const { stderr } = await exits(found.run(definition, command, env), 2, said, refusal);
    assert.doesNotMatch(stderr, new RegExp(secret));
  }
  assert.deepEqual(found.heard, []);
  const after = await readdir(dirname(found.folder), { recursive: true });
  assert.deepEqual(
    after.filter(name => !before.includes(name) && name !== 'downloaded/d.yaml'),
    [],
  );
}

describe('a definition from somebody else', () => {
  it('reads and writes only below its own folder, and nothing that is hidden', async t => {
    const found = await bench(t);
    const { folder, home } = found;
    await symlink(join(home, 'own.csv'), join(folder, 'linked.csv'));
    await symlink(home, join(folder, 'elsewhere'));
    await symlink(join(home, 'new.sh'), join(folder, 'dangling.csv'));
    await symlink(join(home, 'new.sh'), join(folder, 'safe.csv.rejects'));
    await mkdir(join(folder, 'out'));
    await symlink(home, join(folder, 'out/a'));
    const url = `service: { url: "${found.url}", auth: none }\n`;
    for (const [members, said] of [
      [
        'input: ../home/own.csv',
        /score\.input: the definition would read \.\.\/home\/own\.csv; it is not below/,
      ],
      [`input: ${home}/own.csv`, /score\.input: .*it is not below the folder of the definition/],
      ['input: linked.csv', /score\.input: .*the link \w+\.csv leads out/],
      ["input: '*.csv'", /score\.input: .*the link \w+\.csv leads out/],
      ['input: elsewhere/own.csv', /score\.input: .*leads out/],
      ['input: .env', /score\.input: .*it is hidden/],
      ['input: s3://bucket/in.csv', /score\.input: the definition would read s3:.*not below/],
      [`input: ${found.url}/in.csv`, /score\.input: the definition would read http:.*not below/],
      [
        'input-env: ROWCAST_SIGNED, input: in.csv',
        /score\.input-env: the definition would read the URL in ROWCAST_SIGNED/,
      ],
      ['input: in.csv, output: ../home/out.csv', /score\.output: the definition would write/],
      ['input: in.csv, output: dangling.csv', /score\.output: .*the link dangling\.csv leads out/],
      ['input: in.csv, output: safe.csv', /score\.output: .*the link safe\.csv\.rejects leads out/],
      ["input: 'in*.csv', output: 'out/{dir}/{name}.csv'", /score\.output: .*the link out\/a leads out/],
      ['input: in.csv, output: .bash_login', /score\.output: .*it is hidden/],
      ['input: in.csv, output: .config/autostart/x.desktop', /score\.output: .*it is hidden/],
      ['input: in.csv, output: "s3://bucket/out.csv"', /score\.output/],
      ...['rejects', 'summary', 'summary-html', 'metrics', 'lineage', 'shards'].map(
        name =>
          [
            `input: in.csv, output: out.csv, ${name}: ../home/x`,
            new RegExp(`score\\.${name}: .*not below`),
          ] as const,
      ),
    ] as const)
      await assertRefused(found, `${url}score: { report: r, ${members} }\n`, said, {
        ROWCAST_SIGNED: secret,
      });
    const training = 'train: { history: in.csv, predict: plan, report: r }\n';
    await assertRefused(found, `home: ../home\n${score}\n`, /home: the definition would write/);
    await assertRefused(
      found,
      `${training.replace('in.csv', '../home/own.csv')}home: h\n${score}\n`,
      /train\.history/,
    );
    await assertRefused(
      found,
      `${training.replace('in.csv', "[in.csv, '../home/*.csv']")}home: h\n${score}\n`,
      /train\.history: .*\*\.csv; it is not below/,
    );
    await assertRefused(found, `${training}${score}\n`, /train\.report: .*the report r in/, {
      ROWCAST_HOME: home,
    });
  });

  it('sends to its own url no key of this machine, whatever names it', async t => {
    const found = await bench(t);
    const { url } = found;
    const env = {
      ROWCAST_CRM_KEY: secret,
      ROWCAST_API_KEY: secret,
      HTTPS_PROXY: `http://u:${secret}@127.0.0.1:1`,
    };
    for (const [members, said] of [
      [
        'api-key-env: ROWCAST_CRM_KEY',
        /service\.api-key-env: the definition would send the key in ROWCAST_CRM_KEY to http:/,
      ],
      ['auth: none, header-env: { X-A: ROWCAST_CRM_KEY }', /service\.header-env: .*value of ROWCAST_CRM_KEY/],
      ['api-key-file: ../home/key', /service\.api-key-file: the definition would read .*not below/],
      ['auth: none, ca-file: ../home/key', /service\.ca-file/],
      ['auth: google', /service\.auth: the definition would send a token of Google to http:/],
      ['auth: azure', /service\.auth: the definition would send a token of Azure/],
      ['protocol: sagemaker', /service\.auth: the definition would send a signature of AWS/],
    ] as const)
      await assertRefused(found, `service: { url: "${url}", ${members} }\n${score}\n`, said, env);
  });

  it('decides nothing about the service that a flag or the environment names', async t => {
    const found = await bench(t);
    const { url, heard } = found;
    const custom =
      '{ request: { path: /admin/delete, layout: objects, body: { all: $rows } }, response: { rows: "" } }';
    await assertRefused(
      found,
      `service: { protocol: custom, auth: bearer, custom: ${custom} }\n${score}\n`,
      /service\.custom: the definition would send requests that it describes to/,
      { ROWCAST_URL: url, ROWCAST_API_KEY: secret },
    );
    const { stderr } = await found.run(`service: { proxy: "http://127.0.0.1:9" }\n${score}\n`, 'run', {
      ROWCAST_URL: url,
      ROWCAST_API_KEY: secret,
    });
    assert.match(stderr, /404/);
    assert.ok(heard.length > 0);
  });

  it('with a token of a cloud cannot choose how it gets there, also if it is trusted', async t => {
    const found = await bench(t);
    const { url, heard } = found;
    for (const [host, auth, protocol] of [
      ['europe-west4-aiplatform.googleapis.com', 'google', 'kserve-v1'],
      ['a.westeurope.inference.ml.azure.com', 'azure', 'azureml'],
      ['runtime.sagemaker.eu-west-1.amazonaws.com', 'sigv4', 'sagemaker'],
    ] as const)
      for (const way of [`proxy: "${url}"`, 'ca-file: ca.pem', 'allow-http: true']) {
        const service = `service: { url: "https://${host}", protocol: ${protocol}, auth: ${auth}, ${way} }\n`;
        for (const command of [['run'], 'check', ['plan']]) {
          const { stderr } = await exits(
            found.run(`${service}${score}\n`, `${command} --trust-definition`),
            2,
          );
          assert.match(
            stderr,
            new RegExp(`service\\.${way.split(':')[0]}: a definition cannot have it with auth ${auth}`),
          );
        }
      }
    assert.deepEqual(heard, []);
  });

  it('is not valid if a run would refuse the service, even if it is trusted', async t => {
    const found = await bench(t);
    for (const [service, problem] of [
      [
        'url: "https://models.example", protocol: kserve-v1, auth: google',
        /not a host of Google.*\[bad_option\]/,
      ],
      [
        'url: "https://models.example", protocol: sagemaker, auth: sigv4',
        /not a host of AWS.*\[bad_option\]/,
      ],
      ['url: "http://models.example", auth: none', /\[insecure_url\]/],
    ] as const) {
      const definition = `service: { ${service} }\n${score}\n`;
      for (const command of ['check', 'run']) {
        const { stderr } = await exits(found.run(definition, `${command} --trust-definition`), 2);
        assert.match(stderr, problem, `${command} ${service}`);
      }
    }
    const { stdout } = await found.run(
      `service: { url: "https://models.example", protocol: kserve-v1, auth: google }\n${score}\n`,
      'check --trust-definition',
    );
    assert.match(stdout, /sends +service/);
  });

  it('may do all that if the user says that it is his own, and what flags say in any case', async t => {
    const found = await bench(t);
    const definition = `home: h\ntrain: { history: in.csv, predict: plan, report: r }\n${score.replace('in.csv', '../home/own.csv')}\n`;
    await exits(found.run(definition, 'check --trust-definition'), 0);
    const { stderr } = await found.run(definition, 'plan --set score.input=in.csv');
    assert.match(stderr, /planned once the report is trained/);
    const own = await found.run(
      `service: { url: "${found.url}", api-key-env: ROWCAST_CRM_KEY }\n${score}\n`,
      'run --trust-definition',
      {
        ROWCAST_CRM_KEY: secret,
      },
    );
    assert.match(own.stderr, /404/);
    assert.ok(found.heard.every(request => request.includes(secret)));
  });

  it('is described by check: what it reads, writes and sends, where, with which credentials', async t => {
    const found = await bench(t);
    const definition = `service: { url: "${found.url}", api-key-file: key, header-env: { X-A: ROWCAST_A } }\nscore: { input: in.csv, output: /srv/out.csv, report: r }\n`;
    const { stdout } = await exits(found.run(definition, 'check'), 2);
    assert.equal(
      stdout,
      `  reads   service.api-key-file: key
  reads   score.input: in.csv
  writes  score.output: /srv/out.csv
  sends   service.url: rows to ${found.url}
  sends   service.api-key-file: the key in key to ${found.url}
  sends   service.header-env: the header x-a with the value of ROWCAST_A to ${found.url}
`,
    );
    const json = JSON.parse((await found.run(definition, 'check --json')).stdout);
    assert.deepEqual(
      json.definitions[0].accesses.map((access: { key: string; needs_trust: boolean }) => [
        access.key,
        access.needs_trust,
      ]),
      [
        ['service.api-key-file', false],
        ['score.input', false],
        ['score.output', true],
        ['service.url', false],
        ['service.api-key-file', false],
        ['service.header-env', true],
      ],
    );
  });

  it('gives predict and verify no more than run', async t => {
    const { run, read, url, heard } = await bench(t);
    const definition = `service: { url: "${url}", protocol: mlflow, api-key-env: ROWCAST_CRM_KEY }
score: { input: /srv/in.csv, report: r }\n`;
    for (const line of ['predict tenure=3 --definition', 'verify in.csv in.csv --sample 1 --definition'])
      await exits(
        run(definition, line, { ROWCAST_CRM_KEY: secret }),
        2,
        /service\.api-key-env: .*\[untrusted_definition\]/,
      );
    assert.deepEqual(heard, []);
    assert.equal(await read('downloaded/in.csv'), 'id,plan\n1,a\n2,b\n');
  });
});
