import { existsSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Chart, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { parseAllDocuments } from 'yaml';

import { bin, name as packageName, scripts } from '../../package.json';
import { podSecurityCheck } from '../../constructs/validations/pod-security-restricted';
import type { KubernetesObject } from '../../constructs/validations/plugin';
import * as validations from '../../constructs/validations/index';
import { parseClients } from '../../operator/contract/ipam-api/v3/clients';
import { readAddressClaim } from '../../operator/contract/cluster-api';
import { IP_GROUP, ipGroupProblems } from '../../operator/contract/kinds/ip-group';
import { EGRESS_GROUP, EGRESS_KEYS } from '../../operator/contract/egress';
import { USE_VERB } from '../../operator/rules/egress';
import { egressIpamProblems } from '../../operator/contract/kinds/egress-ipam';
import { ipAllocationProblems } from '../../operator/contract/kinds/ip-allocation';
import { IP_PREFIX, ipPrefixProblems } from '../../operator/contract/kinds/ip-prefix';
import { NETWORK_INSTANCE, networkInstanceProblems } from '../../operator/contract/kinds/network-instance';
import { parseServiceAnnotations } from '../../operator/contract/service-annotations';
import { parseZones } from '../../operator/contract/zones';
import { OPTIONS } from '../../operator/settings/options';
import { commandHelp } from '../support/command-help';
import { blocksOf, commandsIn, filesOf, pagesOf, textOf } from '../support/documents';

const root = resolve(__dirname, '../..');
const pages = pagesOf();
const blocks = pages.flatMap(blocksOf);

type Json = Readonly<Record<string, unknown>>;

/** Programs that a reader has, whose own words are not looked at. */
const PROGRAMS = [
  'aws',
  'az',
  'ctr',
  'curl',
  'docker',
  'gcloud',
  'git',
  'helm',
  'ip',
  'kpt',
  'kubectl',
  'mkdir',
  'mongoexport',
  'printf',
  'pulumi',
];

const flagsIn = (words: string): readonly string[] =>
  [...words.matchAll(/(?<=^|\s)--([\w-]+)/gu)].map(([, flag = '']) => flag);

/** Options before the command, which the help of a command leaves out. */
const GENERAL = ['output', 'server', 'token-file', 'ca-file', 'socket', 'timeout'];

async function commandLineProblems(words: string): Promise<readonly string[]> {
  const [command = ''] = words.split(' ');
  const help = await commandHelp(command);
  if (help === undefined) return [`there is no command "${command}"`];
  const known = new Set([...GENERAL, ...flagsIn(help)]);
  return flagsIn(words)
    .filter((flag) => !known.has(flag))
    .map((flag) => `"ipam ${command}" has no --${flag}`);
}

function operatorProblems(words: string): readonly string[] {
  const known = new Set(Object.values(OPTIONS).map(({ flag }) => flag));
  return flagsIn(words)
    .filter((flag) => !known.has(`--${flag}`))
    .map((flag) => `the operator has no --${flag}`);
}

// `npm ci` is npm's own
const scriptProblems = (script: string): readonly string[] =>
  script === 'ci' || script in scripts ? [] : [`there is no script "${script}"`];

const pathsIn = (words: string): readonly string[] =>
  words.match(/(?<=^|[\s'])(?:examples|infra|test)\/\S+?(?=[\s']|$)/gu) ?? [];

const missingPaths = (words: string): readonly string[] =>
  pathsIn(words).flatMap((path) => (existsSync(join(root, path)) ? [] : [`there is no ${path}`]));

/** Lists problems of the program of a command and its own words. */
async function programProblems(command: string): Promise<readonly string[]> {
  const [program = '', first = '', second = ''] = command.split(/\s+/u);
  switch (program) {
    case 'npm':
      return scriptProblems(first === 'run' ? second : first);
    case 'npx':
      return first in bin ? operatorProblems(command) : [`the package has no program "${first}"`];
    case 'ipam':
      return commandLineProblems(command.slice('ipam '.length));
    default:
      return PROGRAMS.includes(program) ? [] : [`nobody knows "${program}"`];
  }
}

/** Lists problems of one command of a page. */
async function problemsOf(command: string): Promise<readonly string[]> {
  const inside = /(?<=\s-- )ipam .*$/u.exec(command)?.[0];
  const deeper = inside === undefined ? [] : await programProblems(inside);
  return [...missingPaths(command), ...(await programProblems(command)), ...deeper];
}

/** Checks of our kinds. */
const OUR_KINDS: Readonly<Record<string, (document: Json) => readonly { readonly message: string }[]>> = {
  NetworkInstance: networkInstanceProblems,
  IPPrefix: (document) => ipPrefixProblems(document),
  IPAllocation: (document) => ipAllocationProblems(document),
  EgressIPAM: egressIpamProblems,
};

/** Checks a ClusterRole that lets users use EgressIPAMs. */
function useProblems({ rules }: Json): readonly string[] {
  const asked = { apiGroups: [EGRESS_GROUP], resources: ['egressipams'], verbs: [USE_VERB] };
  return (rules as readonly Json[]).flatMap(({ resourceNames, ...rule }) =>
    Array.isArray(resourceNames) && isDeepStrictEqual(rule, asked)
      ? []
      : [`no right to use one EgressIPAM: ${JSON.stringify(rule)}`],
  );
}

/** Checks of kinds that are none of ours. */
const OTHER_KINDS: Readonly<Record<string, (document: Json) => readonly string[]>> = {
  ClusterRole: useProblems,
  IPAddressClaim: claimProblems,
  Namespace: namespaceProblems,
  Pod: podProblems,
  Secret: tokenProblems,
};

/** Lists problems of one YAML document, by its kind. */
function yamlProblems(document: Json): readonly string[] {
  if ('zones' in document) return refusals(parseZones(document));
  if ('clients' in document) return refusals(parseClients(document));
  if (document['kind'] === 'Service') {
    const { annotations = {} } = document['metadata'] as { annotations?: Readonly<Record<string, string>> };
    return parseServiceAnnotations(annotations).problems.map(({ message }) => message);
  }
  const other = OTHER_KINDS[String(document['kind'])];
  if (other !== undefined) return other(document);
  const ours = OUR_KINDS[String(document['kind'])];
  if (ours !== undefined) return ours(document).map(({ message }) => message);
  if (document['kind'] === 'IPGroup') return ipGroupProblems(document).map(({ message }) => message);
  if ('validations' in document) {
    const rules = document['validations'] as readonly { readonly package: string; readonly class: string }[];
    return rules.flatMap((rule) => [
      ...(rule.class in validations ? [] : [`there is no rule ${rule.class}`]),
      ...(rule.package === `./node_modules/${packageName}/lib/constructs/validations`
        ? []
        : [`what is ${rule.package}?`]),
    ]);
  }
  if ('resources' in document) {
    const types = Object.values(document['resources'] as Readonly<Record<string, { readonly type: string }>>);
    const plugin = textOf('infra/plugin/components.ts');
    return types.flatMap(({ type }) =>
      plugin.includes(`export class ${type.split(':').at(-1) ?? ''} `) ? [] : [`there is no component ${type}`],
    );
  }
  return [`nobody knows a document of ${Object.keys(document).join(', ')}`];
}

/** Lists what the operator's namespace, of the Pod Security level `restricted`, refuses of a Pod. */
function namespaceProblems(document: Json): readonly string[] {
  const { annotations = {} } = document['metadata'] as { readonly annotations?: Readonly<Record<string, string>> };
  const known: readonly string[] = Object.values(EGRESS_KEYS);
  return Object.keys(annotations).flatMap((key) => (known.includes(key) ? [] : [`no door reads ${key}`]));
}

function podProblems(document: Json): readonly string[] {
  const violations = podSecurityCheck()([{ object: document as unknown as KubernetesObject, manifestPath: 'page' }]);
  return violations.map(({ rule, locations }) => `FU-84 ${rule}: ${locations.join('; ')}`);
}

/** Checks a Secret that the token of a ServiceAccount is written into. */
function tokenProblems({ type, metadata }: Json): readonly string[] {
  const { annotations = {} } = metadata as { readonly annotations?: Readonly<Record<string, string>> };
  const account = annotations['kubernetes.io/service-account.name'];
  const isToken = type === 'kubernetes.io/service-account-token' && account !== undefined;
  return isToken ? [] : ['the Secret gets no token'];
}

function claimProblems(document: Readonly<Record<string, unknown>>): readonly string[] {
  const { kind, apiGroup } = readAddressClaim(document)?.poolRef ?? {};
  const pools: readonly { readonly kind: string; readonly group: string }[] = [IP_GROUP, IP_PREFIX, NETWORK_INSTANCE];
  const isPool = pools.some((pool) => pool.kind === kind && pool.group === apiGroup);
  return isPool ? [] : [`no pool is a ${kind ?? ''}.${apiGroup ?? ''}`];
}

type Parsed = ReturnType<typeof parseZones> | ReturnType<typeof parseClients>;
const refusals = (parsed: Parsed): readonly string[] =>
  parsed.ok ? [] : parsed.problems.map(({ message }) => message);

const placed = (place: string, problems: readonly string[]): readonly string[] =>
  problems.map((problem) => `${place}: ${problem}`);

describe('commands of the documentation', () => {
  test.each([
    ['FU-84', 'restore'],
    ['FU-105', 'migrate-store'],
  ])('%s hold a Pod for ipam %s that the namespace of the operator admits', (_id, command) => {
    const [pod] = blocksOf('docs/operations.md').filter(({ code }) => code.includes(`name: ipam-${command}`));
    const document = parseAllDocuments(pod?.code ?? '')[0]?.toJS() as Json;
    expect(podProblems(document)).toEqual([]);
    const { securityContext: _taken, ...spec } = document['spec'] as Json;
    expect(podProblems({ ...document, spec }).join()).toContain('FU-84');
  });

  test('FU-80 hold a Deployment that the rule PodSecurityRestricted of the same page lets through', () => {
    const code = blocksOf('constructs/README.md').find((block) => block.code.includes('kplus.Deployment'))?.code ?? '';
    const [declared = ''] = /^const shop = .*?^\}\);$/msu.exec(code) ?? [];
    const chart = new Chart(Testing.app(), 'page');
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- a piece of the page, as a reader runs it
    const run = new Function('kplus', 'chart', declared) as (...values: readonly unknown[]) => void;
    run(kplus, chart);
    const [deployment] = chart.toJson() as readonly Json[];
    expect(deployment?.['kind']).toBe('Deployment');
    expect(podProblems(deployment ?? {})).toEqual([]);
  });

  test('FU-69 show what a reader sees: no condition by describe, and a standalone operator on loopback alone', () => {
    const code = ['README.md', 'docs/services.md', 'docs/operations.md']
      .flatMap(blocksOf)
      .flatMap((block) => commandsIn(block.code));
    expect(code.filter((command) => command.startsWith('kubectl describe service'))).toEqual([]);
    const alone = code.filter((command) => command.includes('--standalone'));
    expect(alone.length).toBeGreaterThan(1);
    for (const command of alone) {
      expect(command).toMatch(/--webhook-bind-address 127\.0\.0\.1:/u);
      expect(command).toMatch(/--health-probe-bind-address 127\.0\.0\.1:/u);
    }
  });

  const commands = blocks
    .filter(({ language }) => language === 'console')
    .flatMap(({ page, line, code }) =>
      commandsIn(code).map((command) => [`${page}:${String(line)}`, command] as const),
    );

  test('name scripts, programs, flags and files that are there', async () => {
    const found = await Promise.all(commands.map(async ([place, command]) => placed(place, await problemsOf(command))));
    expect(found.flat()).toEqual([]);
    expect(commands.length).toBeGreaterThan(15);
  });

  test.each([
    ['npm run synthesize', 'there is no script "synthesize"'],
    ['npx ipam-operator --zone-file zones.yaml', 'the operator has no --zone-file'],
    ['kubectl exec deploy/ipam -- ipam zone', 'there is no command "zone"'],
    ['ipam backup --to x', '"ipam backup" has no --to'],
    ['kubectl apply -f examples/manifests/missing.yaml', 'there is no examples/manifests/missing.yaml'],
    ['kustomize build', 'nobody knows "kustomize"'],
  ])('would be refused as %s', async (command, problem) => {
    expect(await problemsOf(command)).toEqual([problem]);
  });
});

describe('commands in the comments of the examples', () => {
  test('name scripts and files that are there', () => {
    const lines = filesOf('.ts', '.yaml')
      .filter((file) => file.startsWith('examples/'))
      .flatMap((file) =>
        [...textOf(file).matchAll(/^(?:\/\/|#) {3}((?:npm|npx|kubectl|pulumi) .*?)(?: {3,}.*)?$/gmu)].map(
          ([, command = '']) => [file, command] as const,
        ),
      );
    const found = lines.map(([file, command]) => {
      const script = /^npm run (\S+)/u.exec(command)?.[1];
      return placed(file, [...missingPaths(command), ...(script === undefined ? [] : scriptProblems(script))]);
    });
    expect(found.flat()).toEqual([]);
    expect(lines.length).toBeGreaterThan(10);
  });
});

describe('YAML of the documentation', () => {
  const yamls = blocks.filter(({ language }) => language === 'yaml');

  test('is read without a problem, and taken by what it is for', () => {
    const found = yamls.flatMap(({ page, line, code }) =>
      parseAllDocuments(code).flatMap((document) => {
        const place = `${page}:${String(line)}`;
        const unread = [...document.errors, ...document.warnings].map(({ message }) => message);
        return placed(place, unread.length > 0 ? unread : yamlProblems(document.toJS() as Json));
      }),
    );
    expect(found).toEqual([]);
    expect(yamls.length).toBeGreaterThan(4);
  });

  test('would be refused for a mistyped key', () => {
    const zones = { version: 1, zones: [{ name: 'inet', prefixes: ['203.0.113.0/24'], quotas: 1 }] };
    expect(yamlProblems(zones)).toEqual([expect.stringContaining('quotas')]);
  });
});

describe('links of the documentation', () => {
  test('lead to files that are there', () => {
    const broken = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/gu)]
        .map(([, target = '']) => normalize(join(dirname(page), target)))
        .filter((target) => !existsSync(join(root, target)))
        .map((target) => `${page}: there is no ${target}`),
    );
    expect(broken).toEqual([]);
  });
});
