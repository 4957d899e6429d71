import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { METALLB_NAMESPACE, WAITING_POOL } from '../operator/contract/group';
import type { Refusal } from '../operator/errors/outcome';
import { objectNameProblem } from './metallb-parts/advertised-words';
import { advertisementProblems, invalid, unknownKeys } from './metallb-parts/advertisement-problems';
import { declareAdvertisements } from './metallb-parts/advertisements';
import { clashesWithEarlierPools, registerPool } from './metallb-parts/app-pools';
import { readPoolEntries } from './metallb-parts/pool-entries';
import type { AdvertisedProps, MetalLbPoolProps } from './metallb-props';
import { COMMON_LABELS } from './operator-parts/names';
import { writeAppForEveryReader } from './portable-yaml';

/** What MetalLB may announce for one zone. */
export interface ZonePoolProps extends AdvertisedProps {
  /** Name of the zone, which the pool and its advertisements carry too. */
  readonly zone: string;
  /**
   * Prefixes of the zone in CIDR notation.
   *
   * @default - no pool is emitted, only its advertisements: the operator writes the pool
   */
  readonly prefixes?: readonly string[];
}

interface PoolFields {
  readonly addresses: readonly string[];
  readonly autoAssign: boolean;
  readonly avoidBuggyIPs: boolean;
}

const poolObject = (scope: Construct, metadata: { name: string; namespace: string }, spec: PoolFields): ApiObject =>
  new ApiObject(scope, 'Pool', { apiVersion: 'metallb.io/v1beta1', kind: 'IPAddressPool', metadata, spec });

/**
 * The MetalLB pool of one zone and its advertisements. MetalLB gives nothing out of it by itself, since the addresses of a
 * Service are chosen by the operator; so addresses that the zone excludes may be part of the pool.
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
    super(scope, id);
    const { zone: pool, prefixes } = props;
    const at = { pool, namespace: METALLB_NAMESPACE, labels: COMMON_LABELS };
    const advertisements = declareAdvertisements(this, { ...at, props });
    if (prefixes === undefined) return;
    const metadata = { name: pool, namespace: METALLB_NAMESPACE, labels: COMMON_LABELS };
    const object = poolObject(this, metadata, { addresses: prefixes, autoAssign: false, avoidBuggyIPs: false });
    advertisements.forEach((advertisement) => {
      advertisement.addDependency(object);
    });
  }
}

const POOL_KEYS = [
  'name',
  'namespace',
  'addresses',
  'autoAssign',
  'avoidBuggyIps',
  'cluster',
  'advertise',
  'l2',
  'bgp',
] as const satisfies readonly (keyof MetalLbPoolProps)[];

function nameProblems({ name, namespace }: MetalLbPoolProps): readonly Refusal[] {
  const wrong = (['name', 'namespace'] as const).flatMap((field): readonly Refusal[] => {
    const text = { name, namespace }[field];
    const problem = text === undefined ? undefined : objectNameProblem(text);
    return problem === undefined ? [] : [invalid(field, problem)];
  });
  if (name !== WAITING_POOL) return wrong;
  return [
    ...wrong,
    invalid('name', `"${WAITING_POOL}" is reserved: Services that wait name this pool, which must not exist`),
  ];
}

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
    super(scope, id);
    this.poolName = props.name ?? id;
    const namespace = props.namespace ?? METALLB_NAMESPACE;
    const { entries } = readPoolEntries(props.addresses);
    registerPool({
      construct: this,
      label: `pool "${this.poolName}"`,
      name: this.poolName,
      namespace,
      entries,
      cluster: props.cluster,
    });
    const object = poolObject(
      this,
      { name: this.poolName, namespace },
      {
        addresses: entries.map(({ text }) => text),
        autoAssign: props.autoAssign ?? true,
        avoidBuggyIPs: props.avoidBuggyIps ?? false,
      },
    );
    declareAdvertisements(this, { pool: this.poolName, namespace, props }).forEach((advertisement) => {
      advertisement.addDependency(object);
    });
    writeAppForEveryReader(this);
    this.node.addValidation({
      validate: () => {
        const problems = [...metalLbPoolProblems({ ...props, name: this.poolName }), ...clashesWithEarlierPools(this)];
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
  const { entries, problems } = readPoolEntries(props.addresses);
  return [
    ...unknownKeys(props, POOL_KEYS, ''),
    ...nameProblems(props),
    ...problems,
    ...advertisementProblems(props, '', entries),
  ];
}
