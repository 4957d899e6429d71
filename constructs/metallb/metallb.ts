import { Construct } from 'constructs';

import { METALLB_NAMESPACE, WAITING_POOL } from '../../operator/contract/group';
import type { Refusal } from '../../operator/errors/outcome';
import { refuseForeignTwins } from '../app/foreign-objects';
import { writeAppForEveryReader } from '../app/portable-yaml';
import { idProblems } from '../props-kit/id-as-name';
import { placeFor } from '../props-kit/place';
import { readProps, type Judge } from '../props-kit/rule';
import { objectNameProblem } from './advertised-words';
import { advertisementProblems, invalid } from './advertisement-problems';
import { declareAdvertisements } from './advertisements';
import { clashesWithEarlierPools, registerPool } from './app-pools';
import type { MetalLbPoolProps, ZonePoolProps } from './metallb-props';
import { readPoolEntries } from './pool-entries';
import { declarePool, declareZonePool } from './pool-objects';
import { METALLB_POOL, ZONE_POOL } from './pool-rules';

/**
 * The MetalLB pool of one zone and its advertisements. MetalLB gives nothing out of it by itself, since the addresses of a
 * Service are chosen by the operator; so addresses that the zone excludes may be part of the pool.
 *
 * An `IpamOperator` declares those of its zones itself.
 */
export class ZonePool extends Construct {
  /**
   * Declares pool and advertisements.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - zone, prefixes and advertisements
   */
  constructor(scope: Construct, id: string, props: ZonePoolProps) {
    super(placeFor(scope, id, 'zone/invalid'), id);
    declareZonePool(this, readProps(ZONE_POOL, props, 'zone/invalid').valid);
    writeAppForEveryReader(this);
    this.node.addValidation({ validate: () => zonePoolProblems(props).map(({ message }) => message) });
  }
}

// The entries of a zone carry the name of its prop.
const inPrefixes = ({ field = '', message, ...rest }: Refusal): Refusal => {
  const renamed = (text: string): string => text.replaceAll(/^addresses|(?<=\()addresses/g, 'prefixes');
  return { ...rest, field: renamed(field), message: renamed(message) };
};

function zonePoolProblems(props: ZonePoolProps): readonly Refusal[] {
  const { valid, problems, malformed } = readProps(ZONE_POOL, props, 'zone/invalid');
  if (malformed) return problems;
  const read = valid.prefixes === undefined ? { entries: [], problems: [] } : readPoolEntries(valid.prefixes);
  return [...problems, ...read.problems.map(inPrefixes), ...advertisementProblems(valid, '', read.entries)];
}

function objectNameProblems(field: 'name' | 'namespace', text: string | undefined): readonly Refusal[] {
  const problem = text === undefined ? undefined : objectNameProblem(text);
  return problem === undefined ? [] : [invalid(field, problem)];
}

function poolNameProblems(name: string | undefined): readonly Refusal[] {
  if (name !== WAITING_POOL) return objectNameProblems('name', name);
  return [invalid('name', `"${WAITING_POOL}" is reserved: Services that wait name this pool, which must not exist`)];
}

/** Judges the id of a pool without a name. */
const POOL_ID: Judge = {
  allowed: 'a DNS name',
  judge: (id) => ({ valid: id, faults: poolNameProblems(String(id)), malformed: false }),
};

/**
 * A MetalLB pool of addresses that the operator does not manage, with its advertisements. It stands in any chart; what it
 * holds must not overlap a zone or another pool of the app, which synth checks.
 */
export class MetalLbPool extends Construct {
  /** Name of the pool, for the annotation `metallb.io/address-pool` of Services that are not ours. */
  readonly poolName: string;

  /**
   * Declares pool and advertisements.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`; the default of `props.name`
   * @param props - addresses and advertisements
   */
  constructor(scope: Construct, id: string, props: MetalLbPoolProps) {
    super(placeFor(scope, id, 'zone/invalid'), id);
    const { valid } = readProps(METALLB_POOL, props, 'zone/invalid');
    const name = valid.name ?? id;
    this.poolName = name;
    const { namespace = METALLB_NAMESPACE, cluster, autoAssign = true, avoidBuggyIps = false } = valid;
    const { entries } = readPoolEntries(valid.addresses);
    registerPool({ construct: this, label: `pool "${name}"`, name, namespace, entries, cluster });
    const addresses = entries.map(({ text }) => text);
    const object = declarePool(this, { name, namespace }, { addresses, autoAssign, avoidBuggyIPs: avoidBuggyIps });
    declareAdvertisements(this, { pool: name, namespace, props: valid }).forEach((advertisement) => {
      advertisement.addDependency(object);
    });
    writeAppForEveryReader(this);
    refuseForeignTwins(this, cluster);
    this.node.addValidation({
      validate: () => {
        const problems = [...poolProblems(props, id), ...clashesWithEarlierPools(this)];
        return problems.map(({ message }) => message);
      },
    });
  }
}

/**
 * Checks the props of a pool without building anything; synth runs the same check, and compares the pools of the app too.
 *
 * @param props - as given to {@link MetalLbPool}
 * @returns every problem with its path; empty when MetalLB would take it
 */
export function metalLbPoolProblems(props: MetalLbPoolProps): readonly Refusal[] {
  return poolProblems(props, undefined);
}

// The id of the construct is checked too where it is the name.
function poolProblems(props: MetalLbPoolProps, id: string | undefined): readonly Refusal[] {
  const given = readProps(METALLB_POOL, props, 'zone/invalid');
  const { valid, problems, malformed } = given;
  if (malformed) return problems;
  const read = readPoolEntries(valid.addresses);
  return [
    ...problems,
    ...poolNameProblems(valid.name),
    ...(id === undefined ? [] : idProblems(given, id, { judge: POOL_ID, code: 'zone/invalid' })),
    ...objectNameProblems('namespace', valid.namespace),
    ...read.problems,
    ...advertisementProblems(valid, '', read.entries),
  ];
}
