import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

import { IP_ALLOCATION, ipAllocationProblems } from '../../operator/contract/kinds/ip-allocation';
import type { Refusal } from '../../operator/errors/outcome';
import { placeFor } from '../props-kit/place';
import { readProps } from '../props-kit/rule';
import { networkProblems, registerAllocation } from './app-networks';
import type { IpAllocationProps } from './ip-allocation-props';
import { declareObjects, judgedProps, kindManifest, type KindManifest } from './declared-object';
import { IP_ALLOCATION_PROPS } from './nephio-object-rules';

/** Parts of what an allocation is given. */
export type AllocatedField = 'prefix' | 'gateway';

/**
 * A request for an address or a prefix of a NetworkInstance. The CRD is `cdk8s-ipam/crds/ipallocations.ipam.nephio.org.yaml`.
 *
 * Content that the API server would refuse or silently drop, and a prefix by name that the operator would refuse beside the prefixes and
 * allocations of the app, fails at synth.
 */
export class IpAllocation extends Construct {
  /** Name of the object; with two families that of the first. */
  readonly name: string;
  /** The objects themselves, one for each family where families are given. */
  readonly allocations: readonly ApiObject[];

  /**
   * Declares the allocation.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`; the default of `props.name`
   * @param props - kind and selector
   */
  constructor(scope: Construct, id: string, props: IpAllocationProps) {
    super(placeFor(scope, id, 'request/invalid'), id);
    const { valid, problems, isSound } = judgedProps(readProps(IP_ALLOCATION_PROPS, props, 'request/invalid'), id, {
      code: 'request/invalid',
      problemsOf: (given) => specProblems(given, id),
    });
    const { cluster } = valid;
    this.allocations = declareObjects(this, manifestsOf(valid, id), {
      cluster,
      code: 'request/invalid',
      problems: () => [...problems, ...networkProblems(this)],
    });
    this.name = this.allocations[0]?.name ?? id;
    if (isSound) for (const object of this.allocations) registerAllocation({ construct: this, object, cluster });
  }

  /**
   * Names what the allocation is given, which is known to the cluster alone, for an annotation of any object: whatever reads the
   * annotation finds the value in the status of the allocation.
   *
   * @param field - part of the status
   * @returns `<namespace>/<name>#<field>`, without the namespace where the chart has none
   */
  reference(field: AllocatedField): string {
    const namespace = this.allocations[0]?.metadata.namespace;
    return `${namespace === undefined ? '' : `${namespace}/`}${this.name}#${field}`;
  }
}

function manifestsOf(props: IpAllocationProps, id: string): Readonly<Record<string, KindManifest>> {
  const { spec, families = [], name = id } = props;
  const of = (called: string, more: object): KindManifest =>
    kindManifest({ kind: IP_ALLOCATION, name: called, props, spec: { ...spec, ...more } });
  const [first, second] = families;
  if (first === undefined) return { Resource: of(name, {}) };
  if (second === undefined) return { Resource: of(name, { addressFamily: first }) };
  return Object.fromEntries(
    families.map((family) => [family, of(`${name}-${family}`, { addressFamily: family })] as const),
  );
}

function specProblems(props: IpAllocationProps, id: string): readonly Refusal[] {
  const wrong = [...new Map(problemsOfEach(props, id).map((each) => [each.message, each])).values()];
  if (props.families === undefined || props.spec.addressFamily === undefined) return wrong;
  const message = 'families: has no use beside spec.addressFamily; leave out one of both';
  return [...wrong, { code: 'request/invalid', field: 'families', message }];
}

const problemsOfEach = (props: IpAllocationProps, id: string): readonly Refusal[] =>
  Object.values(manifestsOf(props, id)).flatMap((manifest) => ipAllocationProblems(manifest));
