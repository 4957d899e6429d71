import { randomBytes } from 'node:crypto';
import { InvalidArgumentError, Option } from 'commander';
import type { Address, Family } from '../../addressing/address';
import { parseAddressList, type IpFamilyWish } from '../../contract/service-annotations';
import type { ClaimAnswer } from '../../contract/ipam-api/v3/answers';
import type { ServiceView } from '../../contract/service';
import { accept, refuse, type Outcome, type Refusal } from '../../errors/outcome';
import type { ApiCaller } from '../calls/api-caller';
import type { CommandParts } from '../arguments/command-parts';
import { EXIT } from '../output/exit-codes';
import { readInput, readSecret } from '../arguments/input-file';
import { servicesOf } from '../arguments/manifest-file';
import { familiesOfCluster, familyList, type PlannedCluster } from '../plan/cluster-families';
import { planQuestions, type KnownZones, type PlanBody, type PlanFlags } from '../plan/plan-question';
import type { Report } from '../output/report';
import { claimsOf, serviceNameArgument, type ServiceName } from '../arguments/service-name';

interface Options {
  readonly manifest?: string;
  readonly namespace: string;
  readonly cluster?: string;
  readonly clusterFamilies?: readonly Family[];
  readonly zone?: string;
  readonly family?: IpFamilyWish;
  readonly address: readonly Address[];
  readonly secretFile?: string;
}

/** One Service, and the manifest where it came from one. */
interface Asked {
  readonly name: ServiceName;
  readonly view?: ServiceView;
}

/** Plan of one Service for one family. */
interface Row {
  readonly service: string;
  readonly zone: string;
  readonly family: string;
  readonly verdict: 'kept' | 'returned' | 'new' | 'joined' | 'waits' | 'refused';
  readonly address?: string;
  readonly problem?: Pick<Refusal, 'code' | 'message'>;
}

/** Refusals of a secret that is not the one of the record. */
const OF_THE_SECRET = /^secret\/(?:wrong|shared)$/u;

const OF_THE_SERVER = /^(?:api|store|settings)\/|^internal$/u;

const UNKNOWN_FAMILIES =
  'the families of the cluster are not known here, so this is planned as for one with both; name them by --cluster-families';

const WITHOUT_SECRET =
  'no --secret-file was given, so a Service is taken to own what is bound to it or reserved for it, and nothing else';

const MEANING: Readonly<Record<Row['verdict'], string>> = {
  kept: 'it holds this address already',
  returned: 'it comes back to its former holder',
  new: 'it is free',
  joined: 'others hold it too, and would share it',
  waits: 'a neighbour holds it',
  refused: '',
};

/**
 * Adds `ipam plan`.
 *
 * @param parts - program and how to run
 */
export function addPlan({ program, run, input }: CommandParts): void {
  program
    .command('plan')
    .argument('[service]', 'namespace/name of the Service', serviceNameArgument)
    .option('--manifest <file>', 'YAML or JSON with Services in place of the name; - reads standard input')
    .option('--namespace <name>', 'namespace of Services of --manifest that name none', 'default')
    .option('--cluster <uid>', 'cluster of the Service; needed where several are known')
    .option(
      '--cluster-families <list>',
      'families of its cluster, the primary one first, where the server does not know them: ipv4, ipv6 or both',
      familyList,
    )
    .option('--zone <name>', 'zone, in place of what the manifest says')
    .addOption(new Option('--family <word>', 'families, likewise').choices(['ipv4', 'ipv6', 'dual']))
    .option('--address <list>', 'wished addresses, with a comma between, likewise', addressList, [])
    .option('--secret-file <file>', 'file of the secret that the Service would show; - reads standard input')
    .description('tell what a Service would get now; reserves nothing')
    .action((service: ServiceName | undefined, options: Options) =>
      run(async (api) => {
        const asked = await askedServices(service, options, input);
        if (!asked.ok) return asked;
        const flags = await flagsOf(options, input);
        if (!flags.ok) return flags;
        const zones = await api.call('listZones', {});
        if (!zones.ok) return zones;
        const cluster = await clusterOf(api, options.cluster);
        if (!cluster.ok) return cluster;
        const clusterFamilies = options.clusterFamilies ?? (await familiesOfCluster(api, cluster.value));
        const { clusterUid } = cluster.value;
        const showsSecret = options.secretFile !== undefined;
        const on = { api, flags: flags.value, showsSecret, zones: zones.value, clusterUid, clusterFamilies };
        const rows: Row[] = [];
        const holding = new Set<string>();
        for (const each of asked.value) {
          const planned = await planService(each, { ...on, holding });
          if (!planned.ok) return planned;
          rows.push(...planned.value);
        }
        return accept(reportOf(rows, showsSecret ? undefined : holding, clusterFamilies));
      }),
    );
}

function addressList(text: string): readonly Address[] {
  const parsed = parseAddressList(text, '--address');
  if (!parsed.ok) throw new InvalidArgumentError(`${parsed.refusal.message}.`);
  return parsed.value;
}

async function askedServices(
  name: ServiceName | undefined,
  { manifest, namespace, secretFile }: Options,
  input: CommandParts['input'],
): Promise<Outcome<readonly Asked[]>> {
  if (manifest === undefined)
    return name === undefined
      ? refuse('settings/invalid', 'give the Service as namespace/name, or a file with it by --manifest')
      : accept([{ name }]);
  if (name !== undefined) return refuse('settings/invalid', 'give namespace/name or --manifest, not both');
  if (manifest === '-' && secretFile === '-')
    return refuse('settings/invalid', '--manifest and --secret-file cannot both come from standard input');
  const bytes = await readInput(manifest, { name: '--manifest', input });
  if (!bytes.ok) return bytes;
  const services = servicesOf(bytes.value.toString('utf8'));
  if (!services.ok) return services;
  return accept(
    services.value.map((view) => ({
      view,
      name: { namespace: view.namespace === '' ? namespace : view.namespace, name: view.name },
    })),
  );
}

async function flagsOf(
  { zone, family, address, secretFile }: Options,
  input: CommandParts['input'],
): Promise<Outcome<PlanFlags>> {
  // a secret that no claimant has: what is kept under another one is then as far away as for any other claimant
  const secret =
    secretFile === undefined ? accept(randomBytes(24).toString('hex')) : await readSecret(secretFile, input);
  if (!secret.ok) return secret;
  return accept({
    ...(zone === undefined ? {} : { zone }),
    ...(family === undefined ? {} : { family }),
    addresses: address,
    secret: secret.value,
  });
}

/** Stands for a cluster that has nothing on record yet. */
const NEW_CLUSTER = 'ipam-plan';

async function clusterOf(api: ApiCaller, given: string | undefined): Promise<Outcome<PlannedCluster>> {
  if (given !== undefined) return accept({ clusterUid: given, isNew: false });
  const clusters = await api.call('listClusters', {});
  if (!clusters.ok) return named(clusters.refusal);
  const [first, second] = clusters.value.entries;
  if (second === undefined) return accept({ clusterUid: first?.clusterUid ?? NEW_CLUSTER, isNew: first === undefined });
  const names = clusters.value.entries
    .slice(0, 20)
    .map(({ clusterUid, name }) => `${clusterUid}${name && ` (${name})`}`);
  return refuse(
    'settings/invalid',
    `several clusters are known; name the one of the Service by --cluster: ${names.join(', ')}`,
  );
}

function named(refusal: Refusal): Outcome<never> {
  if (refusal.code !== 'store/no-reports') return { ok: false, refusal };
  return refuse(refusal.code, `${refusal.message}; name the one of the Service by --cluster`);
}

interface PlanOn {
  readonly api: ApiCaller;
  readonly flags: PlanFlags;
  /** False: the secret of the flags is none that the Service has. */
  readonly showsSecret: boolean;
  readonly zones: KnownZones;
  readonly clusterUid: string;
  /** Undefined where it is not known. */
  readonly clusterFamilies: readonly Family[] | undefined;
  /** Gets what the Services have already. */
  readonly holding: Set<string>;
}

async function planService({ name, view }: Asked, on: PlanOn): Promise<Outcome<readonly Row[]>> {
  const { api, flags, zones, clusterUid, clusterFamilies } = on;
  const claims = name.name === '' ? accept([]) : await claimsOf(api, name, clusterUid);
  if (!claims.ok) return claims;
  const service = `${name.namespace}/${name.name === '' ? '(unnamed)' : name.name}`;
  for (const { address } of claims.value) on.holding.add(`"${service}" has ${address}`);
  const families = clusterFamilies === undefined ? {} : { clusterFamilies };
  const asker = { ...name, ...families, clusterUid, claims: claims.value };
  const questions = planQuestions(view, flags, { zones, asker });
  if (!questions.ok)
    return accept([{ service, zone: flags.zone ?? '', family: '', verdict: 'refused', problem: questions.refusal }]);
  const own = ownedBy(claims.value, on);
  const rows: Row[] = [];
  for (const body of questions.value) {
    const row = await planOne(api, service, { body, own });
    if (!row.ok) return row;
    rows.push(row.value);
  }
  return accept(rows);
}

// A Service that is served shows its secret whenever it asks, so where none is given here, that is no obstacle.
function ownedBy(claims: readonly ClaimAnswer[], { showsSecret }: PlanOn): readonly ClaimAnswer[] {
  return showsSecret ? [] : claims;
}

function heldBy(claims: readonly ClaimAnswer[], { zone, family, address }: PlanBody): ClaimAnswer | undefined {
  return claims.find(
    (each) =>
      (each.state === 'bound' || each.state === 'reserved') &&
      each.zone === zone &&
      each.family === family &&
      (address === undefined || each.address === address),
  );
}

async function planOne(
  api: ApiCaller,
  service: string,
  { body, own }: { readonly body: PlanBody; readonly own: readonly ClaimAnswer[] },
): Promise<Outcome<Row>> {
  const planned = await api.call('planClaim', { body });
  const { zone, family } = body;
  if (planned.ok) {
    const { kind: verdict, address } = planned.value;
    return accept({ service, zone, family, verdict, address });
  }
  const { code, message } = planned.refusal;
  const held = heldBy(own, body);
  if (held !== undefined && OF_THE_SECRET.test(code))
    return accept({ service, zone, family, verdict: 'kept', address: held.address });
  // what has to do with the server and not with the Service ends the command
  if (OF_THE_SERVER.test(code)) return planned;
  // such a Service is admitted
  const verdict = code === 'address/in-use' ? 'waits' : 'refused';
  return accept({ service, zone, family, verdict, problem: { code, message } });
}

function reportOf(
  rows: readonly Row[],
  secretless: ReadonlySet<string> | undefined,
  clusterFamilies: readonly Family[] | undefined,
): Report {
  const fresh = rows.filter(({ verdict }) => verdict === 'new').length;
  const refused = rows.filter(({ verdict }) => verdict === 'refused').length;
  return {
    value: { entries: rows },
    table: {
      columns: ['service', 'zone', 'family', 'verdict', 'address', 'why'],
      rows: rows.map(({ service, zone, family, verdict, address = '', problem }) => [
        ...[service, zone, family, verdict, address, problem?.message ?? MEANING[verdict]],
      ]),
    },
    notes: [
      'nothing was reserved',
      ...(clusterFamilies === undefined ? [UNKNOWN_FAMILIES] : []),
      ...(secretless === undefined ? [] : [WITHOUT_SECRET]),
      ...(secretless === undefined || secretless.size === 0
        ? []
        : [`on record already: ${[...secretless].join(', ')}`]),
      ...(fresh > 1
        ? ['each row stands alone: of several new addresses in one zone the second Service gets another one']
        : []),
    ],
    ...(refused === 0 ? {} : { exit: refused === rows.length ? EXIT.refused : EXIT.partly }),
  };
}
