import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

const takes = (specifier: string): string => `import * as taken from '${specifier}';\nexport const used = taken;\n`;
const takesType = (specifier: string): string =>
  `import type * as taken from '${specifier}';\nexport type Used = typeof taken;\n`;

/** Clean files that the bad ones import. */
const skeleton: Readonly<Record<string, string>> = {
  'operator/errors/leaf.ts': 'export const leaf = 1;\n',
  'operator/addressing/number.ts': 'export const number = 1;\n',
  'operator/settings/option.ts': 'export const option = 1;\n',
  'operator/contract/kind.ts': 'export const kind = 1;\n',
  'operator/contract/group.ts': 'export const group = 1;\n',
  'operator/settings/default.ts': takes('../contract/group'),
  'operator/rules/rule.ts': 'export const rule = 1;\n',
  'operator/ports/port.ts': 'export interface Port { readonly name: string }\n',
  'operator/ledger/verb.ts': 'export const verb = 1;\n',
  'operator/reviews/route.ts': 'export const route = 1;\n',
  'operator/front-doors/one/room.ts': 'export const room = 1;\n',
  'operator/front-doors/two/room.ts': 'export const room = 1;\n',
  'operator/claim-store/piece.ts': 'export const piece = 1;\n',
  'operator/backends/one/shelf.ts': 'export const shelf = 1;\n',
  'operator/backends/two/shelf.ts': 'export const shelf = 1;\n',
  'operator/cluster/client.ts': 'export const client = 1;\n',
  'operator/server/street.ts': 'export const street = 1;\n',
  'operator/front-doors/one/index.ts': 'export const one = 1;\n',
  'operator/assembly/step.ts': 'export const step = 1;\n',
  'operator/assembly/doors/door.ts': takes('../../front-doors/one/index'),
  'operator/assembly/doors/open-doors.ts': takes('./door'),
  'operator/cli/command.ts': 'export const command = 1;\n',
  'constructs/part.ts': 'export const part = 1;\n',
  'constructs/render/part.ts': 'export const part = 1;\n',
  'constructs/operator/part.ts': 'export const part = 1;\n',
  'constructs/operator/pod/part.ts': 'export const part = 1;\n',
  'constructs/testing/part.ts': 'export const part = 1;\n',
  'infra/program.ts': 'export const program = 1;\n',
  'infra/components/part.ts': 'export const part = 1;\n',
  'infra/outputs/part.ts': 'export const part = 1;\n',
  'test/support/thing.ts': 'export const thing = 1;\n',
};

/** Bad file, its text, the rule that must name it. */
const violations: readonly (readonly [file: string, text: string, rule: string])[] = [
  ['operator/ledger/cycle-a.ts', takes('./cycle-b'), 'no-cycles'],
  ['operator/ledger/lost.ts', takes('./no-such-file'), 'resolvable'],
  ['operator/ledger/to-test.ts', takes('../../test/support/thing'), 'not-to-test'],
  ['operator/errors/up.ts', takes('../addressing/number'), 'errors-see'],
  ['operator/addressing/up.ts', takes('../contract/kind'), 'addressing-sees'],
  ['operator/addressing/up-type.ts', takesType('../ports/port'), 'addressing-sees'],
  ['operator/settings/up.ts', takes('../contract/kind'), 'settings-see'],
  ['operator/contract/up.ts', takes('../rules/rule'), 'contract-sees'],
  ['operator/ports/up.ts', takesType('../ledger/verb'), 'ports-see'],
  ['operator/rules/up.ts', takesType('../ports/port'), 'rules-see'],
  ['operator/loose.ts', takes('./errors/leaf'), 'root-holds-three-files'],
  ['operator/assembly/up.ts', takes('../cli/command'), 'assembly-sees'],
  ['operator/assembly/to-application.ts', takes('../application'), 'assembly-sees'],
  ['operator/cli/inside.ts', takes('../ledger/verb'), 'cli-sees'],
  ['operator/application.ts', takes('./ledger/verb'), 'application-sees'],
  ['operator/main.ts', takes('./assembly/step'), 'main-sees'],
  ['operator/index.ts', takes('./ledger/verb'), 'index-sees'],
  ['operator/cli/to-application.ts', takes('../application'), 'application-is-on-top'],
  ['operator/server/to-assembly.ts', takes('../assembly/step'), 'assembly-is-for-application'],
  ['operator/assembly/one-door.ts', takes('./doors/door'), 'doors-in-one-list'],
  ['operator/assembly/past-index.ts', takes('../front-doors/one/room'), 'doors-through-index'],
  ['operator/runtime/up.ts', takes('../contract/kind'), 'runtime-sees'],
  ['operator/identity/up.ts', takes('../cluster/client'), 'identity-sees'],
  ['operator/ledger/up.ts', takes('../backends/one/shelf'), 'ledger-sees'],
  ['operator/front-doors/one/up.ts', takes('../../server/street'), 'front-doors-see'],
  ['operator/reviews/up.ts', takes('../ledger/verb'), 'reviews-see'],
  ['operator/assembly/route.ts', takes('../reviews/route'), 'reviews-are-for-doors'],
  ['operator/claim-store/up.ts', takes('../ledger/verb'), 'claim-store-sees'],
  ['operator/assembly/claim-piece.ts', takes('../claim-store/piece'), 'claim-store-is-for-backends'],
  ['operator/backends/one/up.ts', takes('../../ledger/verb'), 'backends-see'],
  ['operator/cluster/up.ts', takes('../ledger/verb'), 'cluster-sees'],
  ['operator/telemetry/up.ts', takes('../ledger/verb'), 'telemetry-sees'],
  ['operator/server/up.ts', takes('../application'), 'server-sees'],
  ['constructs/up.ts', takes('../operator/ledger/verb'), 'constructs-see'],
  ['constructs/props-kit/up.ts', takesType('../operator/pod/part'), 'props-kit-sees'],
  ['constructs/objects/up.ts', takes('../operator/part'), 'objects-see'],
  ['constructs/app/up.ts', takesType('../operator/part'), 'app-sees'],
  ['constructs/service/up.ts', takes('../operator/part'), 'service-sees'],
  ['constructs/metallb/up.ts', takesType('../operator/part'), 'metallb-sees'],
  ['constructs/crds/up.ts', takesType('../operator/part'), 'crds-see'],
  ['constructs/kinds/up.ts', takes('../operator/part'), 'kinds-see'],
  ['constructs/vip-service/up.ts', takes('../operator/part'), 'vip-service-sees'],
  ['constructs/operator/up.ts', takes('../render/part'), 'operator-construct-sees'],
  ['constructs/operator/pod/up.ts', takesType('../part'), 'concerns-see'],
  ['constructs/validations/up.ts', takes('../testing/part'), 'validations-see'],
  ['constructs/testing/up.ts', takes('../render/part'), 'testing-sees'],
  ['constructs/render/up.ts', takes('../testing/part'), 'render-sees'],
  ['infra/up.ts', takes('../operator/ports/port'), 'infra-sees'],
  ['infra/past-the-index.ts', takesType('../constructs/operator/part'), 'infra-sees'],
  ['infra/args/up.ts', takes('../outputs/part'), 'args-see'],
  ['infra/outputs/up.ts', takes('../components/part'), 'outputs-see'],
  ['infra/components/up.ts', takes('../program'), 'components-see'],
  ['infra/plugin/lost.ts', takes('./no-such-file'), 'resolvable-in-plugin'],
  ['infra/plugin/up.ts', takes('../../constructs/part'), 'plugin-sees'],
  ['examples/deep.ts', takes('../constructs/part'), 'examples-see'],
  ['operator/front-doors/one/sibling.ts', takes('../two/room'), 'front-doors-are-strangers'],
  ['operator/backends/one/sibling.ts', takes('../two/shelf'), 'backends-are-strangers'],
  ['operator/addressing/core.ts', takes('node:crypto'), 'pure-is-foreign-free'],
  ['operator/rules/npm.ts', takes('ajv'), 'pure-is-foreign-free'],
  ['operator/settings/core.ts', takes('node:fs'), 'pure-is-foreign-free'],
  ['operator/ledger/client.ts', takes('@kubernetes/client-node'), 'one-kubernetes-client'],
  ['operator/ledger/http.ts', takes('fastify'), 'one-http-server'],
  ['operator/ledger/postgres.ts', takes('pg'), 'sql-stays-in-sql'],
  ['operator/ledger/sqlite.ts', takes('node:sqlite'), 'sqlite-stays-in-sql'],
  ['operator/ledger/schema.ts', takes('@sinclair/typebox'), 'schemas-stay-in-contract'],
  ['operator/ledger/log.ts', takes('pino'), 'telemetry-stays'],
  ['operator/ledger/commander.ts', takes('commander'), 'commander-stays-in-cli'],
  ['operator/ledger/x509.ts', takes('@peculiar/x509'), 'certificates-stay-in-server'],
  ['operator/ledger/yaml.ts', takes('yaml'), 'yaml-stays-where-text-is'],
  ['operator/cluster/api/yaml.ts', takes('yaml'), 'yaml-stays-where-text-is'],
  ['constructs/objects/yaml.ts', takes('yaml'), 'yaml-stays-where-text-is'],
  ['operator/ledger/grpc.ts', takes('@grpc/grpc-js'), 'grpc-stays-in-server'],
  ['operator/contract/protobuf.ts', takes('protobufjs'), 'protobuf-stays-in-contract'],
  ['operator/backends/clouds/shared/aws.ts', takes('aws4fetch'), 'aws-stays-in-its-driver'],
  ['operator/ledger/cdk8s.ts', takes('cdk8s'), 'cdk8s-stays'],
  ['constructs/pulumi.ts', takes('@pulumi/pulumi'), 'pulumi-stays'],
];

/** Stand-ins for packages that later parts bring; the rules must hold before the package is there. */
const futurePackages = ['@kubernetes/client-node', '@pulumi/pulumi', 'pg'];

const write = (base: string, file: string, text: string): void => {
  mkdirSync(dirname(join(base, file)), { recursive: true });
  writeFileSync(join(base, file), text);
};

function layOut(base: string): void {
  cpSync(join(root, 'test/architecture/dependency-rules.cjs'), join(base, 'test/architecture/dependency-rules.cjs'));
  for (const [file, text] of Object.entries(skeleton)) write(base, file, text);
  for (const [file, text] of violations) write(base, file, text);
  write(base, 'operator/ledger/cycle-b.ts', takes('./cycle-a'));
  write(base, 'operator/ledger/client-type.ts', takesType('@kubernetes/client-node'));
  write(base, 'package.json', '{"name":"skeleton","dependencies":{"ajv":"*","fastify":"*"}}');
  mkdirSync(join(base, 'node_modules/@sinclair'), { recursive: true });
  mkdirSync(join(base, 'node_modules/@peculiar'), { recursive: true });
  mkdirSync(join(base, 'node_modules/@grpc'), { recursive: true });
  for (const name of [
    'ajv',
    'fastify',
    '@sinclair/typebox',
    'pino',
    'commander',
    '@peculiar/x509',
    '@grpc/grpc-js',
    'protobufjs',
    'yaml',
    'aws4fetch',
    'cdk8s',
    'typescript',
  ])
    symlinkSync(join(root, 'node_modules', name), join(base, 'node_modules', name));
  for (const name of futurePackages) {
    write(base, `node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
    write(base, `node_modules/${name}/index.js`, 'exports.present = true;\n');
  }
}

function cruise(base: string): readonly Violation[] {
  const arguments_ = ['--config', 'test/architecture/dependency-rules.cjs', '--output-type', 'json', '.'];
  const tool = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  // The tool ends with the number of violations as its status, so a non-zero end is the expected one.
  const run = (): string => {
    try {
      return execFileSync(process.execPath, [tool, ...arguments_], { cwd: base, maxBuffer: 1 << 26 }).toString();
    } catch (thrown) {
      return (thrown as { stdout: Buffer }).stdout.toString();
    }
  };
  return (JSON.parse(run()) as { summary: { violations: Violation[] } }).summary.violations;
}

describe('dependency rules', () => {
  let base = '';
  let found: readonly Violation[] = [];

  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), 'ipam-rules-'));
    layOut(base);
    found = cruise(base);
  });

  afterAll(() => {
    rmSync(base, { recursive: true, force: true });
  });

  test.each(violations)('%s is named', (file, _text, rule) => {
    expect(found.filter((each) => each.from === file).map((each) => each.rule.name)).toContain(rule);
  });

  test('settings may name what the contract names', () => {
    expect(found.filter((each) => each.from === 'operator/settings/default.ts')).toEqual([]);
  });

  test('the list of doors and the index of a door stay allowed', () => {
    const allowed = ['operator/assembly/doors/open-doors.ts', 'operator/assembly/doors/door.ts'];
    expect(found.filter((each) => allowed.includes(each.from))).toEqual([]);
  });

  test('a type import of the Kubernetes client stays allowed', () => {
    expect(found.filter((each) => each.from === 'operator/ledger/client-type.ts')).toEqual([]);
  });

  test('every rule of the file has a row here', () => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the rule file is CommonJS by the tool's contract
    const { forbidden } = require('./dependency-rules.cjs') as { forbidden: readonly { name: string }[] };
    expect(new Set(violations.map(([, , rule]) => rule))).toEqual(new Set(forbidden.map((rule) => rule.name)));
  });

  test('the folder constructs does not shadow the package of that name', () => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- resolution is what is under test
    expect(require('constructs')).toHaveProperty('Construct');
  });
});
