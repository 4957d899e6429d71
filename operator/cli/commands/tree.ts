import { parseAddress } from '../../addressing/address';
import { parsePrefix, type Prefix } from '../../addressing/prefix';
import type { ClaimAnswer, ZoneAnswer } from '../../contract/ipam-api/v3/answers';
import type { EgressTree } from '../../contract/ipam-api/egress-pages';
import type { VipsTree } from '../../contract/ipam-api/vips-pages';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { ApiClient } from '../../cluster/api/api-client';
import { allPages, type CommandParts } from '../arguments/command-parts';
import { serviceNameArgument } from '../arguments/service-name';
import type { ApiCaller } from '../calls/api-caller';
import { openCluster, withClusterOptions, type ClusterOptions } from '../calls/cluster';
import { instanceLines, instanceTree } from '../networks/instance-tree';
import { readInstanceObjects, type InstanceName } from '../networks/read-instance';
import type { Report } from '../output/report';
import { serviceTexts } from '../output/service-text';
import { doorTrees, recordOf, type DoorTrees } from '../doors/ask-doors';
import { egressIpamLines, withoutIpamLines } from '../egress/tree-text';
import { grouplessLines, groupLines } from '../vips/tree-text';

interface Branch {
  readonly prefix: string;
  readonly addresses: readonly { readonly address: string; readonly claims: readonly ClaimAnswer[] }[];
}

/**
 * Adds `ipam tree`.
 *
 * @param parts - program and how to run
 */
export function addTree({ program, run, runHere, env }: CommandParts): void {
  const command = program
    .command('tree')
    .argument('[name]', 'only this zone, IPGroup or EgressIPAM')
    .description(
      'show networks, zones and prefixes, IPGroups and segments, EgressIPAMs and CIDRs, with the addresses below them and their holders',
    )
    .option(
      '--instance <name>',
      'namespace/name of a NetworkInstance, which is read from its cluster',
      serviceNameArgument,
    );
  withClusterOptions(command).action((wanted: string | undefined, options: TreeOptions) => {
    const { instance } = options;
    if (instance === undefined) return run((api) => treeReport(api, wanted));
    return runHere(async () => {
      const client = await openCluster(options, env);
      try {
        return await instanceReport(client, instance);
      } finally {
        await client.close();
      }
    });
  });
}

interface TreeOptions extends ClusterOptions {
  readonly instance?: InstanceName;
}

async function instanceReport(client: ApiClient, of: InstanceName): Promise<Outcome<Report>> {
  const objects = await readInstanceObjects(client, of);
  if (!objects.ok) return objects;
  const [{ namespace, name }, entries] = [of, instanceTree(objects.value)];
  return accept({ value: { namespace, name, entries }, table: instanceLines(`${namespace}/${name}`, entries) });
}

async function treeReport(api: ApiCaller, wanted: string | undefined): Promise<Outcome<Report>> {
  const doors = await doorTrees(api);
  if (!doors.ok) return doors;
  const zones = recordOf(await zoneTrees(api, wanted), Object.keys(doors.value).length > 0);
  if (!zones.ok) return zones;
  const { value: trees = [] } = zones;
  const { groups, groupless, egressIpams, withoutIpam } = only(doors.value, wanted);
  const lines = [
    ...trees.flatMap(linesOf),
    ...groups.flatMap(groupLines),
    ...grouplessLines(groupless),
    ...egressIpams.flatMap(egressIpamLines),
    ...withoutIpamLines(withoutIpam),
  ];
  if (lines.length === 0) return noneOf(wanted, doors.value);
  const lost = [
    ...(groupless.length === 0 ? [] : [{ groupless }]),
    ...(withoutIpam.length === 0 ? [] : [{ withoutIpam }]),
  ];
  return accept({ value: [...trees, ...groups, ...egressIpams, ...lost], table: lines });
}

function only({ vips, egress }: DoorTrees, wanted: string | undefined): VipsTree & EgressTree {
  const { groups = [], groupless = [] } = vips ?? {};
  const { egressIpams = [], withoutIpam = [] } = egress ?? {};
  if (wanted === undefined) return { groups, groupless, egressIpams, withoutIpam };
  return {
    groups: groups.filter(({ group }) => group === wanted),
    groupless: [],
    egressIpams: egressIpams.filter(({ egressIpam }) => egressIpam === wanted),
    withoutIpam: [],
  };
}

const POOL_KINDS = { vips: 'IPGroup', egress: 'EgressIPAM' } as const;

function noneOf(wanted: string | undefined, doors: DoorTrees): Outcome<Report> {
  const kinds = (['vips', 'egress'] as const)
    .filter((door) => doors[door] !== undefined)
    .map((door) => POOL_KINDS[door]);
  if (wanted !== undefined) {
    const what = ['zone', ...kinds].map((kind) => `no ${kind}`).join(' and ');
    return refuse('claim/not-found', `${what} is named "${wanted}" here`);
  }
  return accept({ value: [], table: kinds.map((kind) => `there is no ${kind} yet`) });
}

async function zoneTrees(api: ApiCaller, wanted: string | undefined): Promise<Outcome<readonly ZoneTree[]>> {
  const zones = await api.call('listZones', {});
  if (!zones.ok) return zones;
  const shown = zones.value.entries.filter(({ name }) => wanted === undefined || name === wanted);
  if (shown.length === 0) return accept([]);
  const claims = await allPages((page) =>
    api.call('listClaims', { query: wanted === undefined ? page : { ...page, zone: wanted } }),
  );
  if (!claims.ok) return claims;
  return accept(
    shown.map((zone) => ({
      network: zone.network,
      zone: zone.name,
      usage: zone.usage,
      branches: branches(zone, claims.value),
    })),
  );
}

// What lies in no prefix of its zone stands at the end: the zone shrank under it.
function branches(zone: ZoneAnswer, claims: readonly ClaimAnswer[]): readonly Branch[] {
  const here = claims.filter((claim) => claim.network === zone.network && claim.zone === zone.name);
  const prefixes = zone.prefixes.map((text) => ({ text, prefix: parsePrefix(text) }));
  const found = new Map<string, ClaimAnswer[]>([...zone.prefixes, OUTSIDE].map((text) => [text, []]));
  for (const claim of here) {
    const home = prefixes.find(({ prefix }) => prefix.ok && holds(prefix.value, claim.address));
    found.get(home?.text ?? OUTSIDE)?.push(claim);
  }
  return [...found]
    .filter(([prefix, some]) => prefix !== OUTSIDE || some.length > 0)
    .map(([prefix, some]) => ({ prefix, addresses: byAddress(some) }));
}

const OUTSIDE = 'outside of the zone';

function holds(prefix: Prefix, text: string): boolean {
  const address = parseAddress(text);
  return address.ok && prefix.contains(address.value);
}

function byAddress(claims: readonly ClaimAnswer[]): Branch['addresses'] {
  const grouped = new Map<string, ClaimAnswer[]>();
  for (const claim of claims) grouped.set(claim.address, [...(grouped.get(claim.address) ?? []), claim]);
  return [...grouped].map(([address, some]) => ({ address, claims: some }));
}

interface ZoneTree {
  readonly network: string;
  readonly zone: string;
  readonly usage: ZoneAnswer['usage'];
  readonly branches: readonly Branch[];
}

function linesOf({ network, zone, usage, branches: all }: ZoneTree): readonly string[] {
  const free = usage.map((use) => `${use.family} ${use.free} of ${use.capacity} free`).join(', ');
  return [
    `${network}/${zone} (${free})`,
    ...all.flatMap(({ prefix, addresses }, i) => {
      const last = i === all.length - 1;
      return [
        `${last ? '└─' : '├─'} ${prefix}`,
        ...addresses.map(
          ({ address, claims }, j) =>
            `${last ? '  ' : '│ '} ${j === addresses.length - 1 ? '└─' : '├─'} ${address} ${claimsText(claims)}`,
        ),
      ];
    }),
  ];
}

function claimsText(claims: readonly ClaimAnswer[]): string {
  const names = serviceTexts(claims.map(({ service }) => service));
  return claims.map(({ state }, index) => `${names[index] ?? ''} (${state})`).join(', ');
}
