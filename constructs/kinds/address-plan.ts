import { Construct } from 'constructs';

import type { Refusal } from '../../operator/errors/outcome';
import { placeFor } from '../props-kit/place';
import { readProps } from '../props-kit/rule';
import type { AddressPlanProps } from './address-plan-props';
import { ADDRESS_PLAN_PROPS } from './nephio-object-rules';
import { IpPrefix } from './ip-prefix';
import { NetworkInstance } from './network-instance';
import { plannedObjects } from './planned-objects';

/**
 * The prefixes of a NetworkInstance as data: one tree, of which each line becomes an IPPrefix.
 *
 * A line that does not lie inside of the one around it, and everything that {@link IpPrefix} refuses, fails at synth.
 */
export class AddressPlan extends Construct {
  /** Name of the NetworkInstance. */
  readonly instance: string;
  /** The prefixes, each behind the one around it. */
  readonly prefixes: readonly IpPrefix[];

  /**
   * Declares the objects.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`
   * @param props - instance and prefixes
   */
  constructor(scope: Construct, id: string, props: AddressPlanProps) {
    super(placeFor(scope, id, 'prefix/invalid'), id);
    const { valid, problems, malformed } = readProps(ADDRESS_PLAN_PROPS, props, 'prefix/invalid');
    this.instance = valid.instance;
    const { namespace, labels, cluster } = valid;
    const place = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(cluster === undefined ? {} : { cluster }),
    };
    const common = labels === undefined ? {} : { labels };
    const instance =
      valid.createInstance === false
        ? []
        : [new NetworkInstance(this, 'Instance', { name: valid.instance, ...place, ...common })];
    const planned = malformed ? { objects: [], problems: [] } : plannedObjects(valid);
    this.prefixes = planned.objects.map(
      ({ name, spec, labels: own }) =>
        new IpPrefix(this, name, {
          ...place,
          name,
          spec,
          ...(own === undefined ? common : { labels: { ...labels, ...own } }),
        }),
    );
    for (const { node } of this.prefixes) node.addDependency(...instance);
    const faults: readonly Refusal[] = [...problems, ...planned.problems];
    this.node.addValidation({ validate: () => faults.map(({ message }) => message) });
  }
}
