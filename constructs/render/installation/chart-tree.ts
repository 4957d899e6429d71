import { ApiObject, JsonPatch, type Chart } from 'cdk8s';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { OPTIONS } from '../../../operator/settings/options';
import { NAMES } from '../../operator-parts/names';
import { ZONES_FILE } from '../../operator-parts/zones-config';
import type { LeftOut } from '../helm';
import type { HelmLoop, HelmSource } from '../helm/source';
import { valueAt } from '../helm/value-reader';
import type { LateBoundValues } from '../late-bound';
import { HELPERS } from './chart-helpers';
import { EXAMPLE_ZONES, installation, type InstallationProps } from './installation';

/** Where something else than a value decides about whole objects. */
export const LEFT_OUT: readonly LeftOut[] = [
  {
    // `--create-namespace` has made it, and Helm does not adopt what another made
    value: 'the namespace of the release',
    condition: `eq $.Release.Namespace "${OPERATOR_NAMESPACE}"`,
    leavesOut: ({ kind }) => kind === 'Namespace',
  },
];

const EACH_ZONE: HelmLoop = { variable: '$zone', over: '$.Values.zones' };
const eachAdvertisement = (kind: 'l2' | 'bgp'): HelmLoop => ({
  variable: '$i, $settings',
  over: `include "${HELPERS.advertisements}" (list "${kind}" $zone) | fromJsonArray`,
  outer: EACH_ZONE,
});
const ADVERTISEMENTS = { L2Advertisement: 'l2', BGPAdvertisement: 'bgp' } as const;

/** Puts late-bound values on finished objects, in each tree the same ones. */
class Patches {
  private readonly late: LateBoundValues<HelmSource>;
  private readonly known = new Map<string, string | number>();

  constructor(late: LateBoundValues<HelmSource>) {
    this.late = late;
  }

  // each zone of the release, where the example zone stands
  zones(object: ApiObject): void {
    if (object.kind === 'ConfigMap' && object.name === NAMES.zonesConfigMap) {
      this.replace(object, `/data/${ZONES_FILE}`, { expression: `include "${HELPERS.zones}" $` });
    } else if (object.kind === 'IPAddressPool') {
      const expression = `include "${HELPERS.pool}" (list $ $zone) | fromJsonArray`;
      this.replace(object, '/metadata/name', { expression: '$zone.name', within: EACH_ZONE });
      this.replace(object, '/spec/addresses', { expression, within: EACH_ZONE });
    } else if (object.kind in ADVERTISEMENTS) {
      const within = eachAdvertisement(ADVERTISEMENTS[object.kind as keyof typeof ADVERTISEMENTS]);
      const name = 'ternary $zone.name (printf "%s.%d" $zone.name (add1 $i)) (eq $i 0)';
      this.replace(object, '/metadata/name', { expression: name, within });
      const spec = 'merge (dict "ipAddressPools" (list $zone.name)) $settings';
      this.replace(object, '/spec', { expression: spec, within });
    }
  }

  // the number of Pods, where the shape of several Pods has its default
  replicas(object: ApiObject): void {
    if (object.kind !== 'Deployment') return;
    const { spec } = object.toJson() as { readonly spec: { readonly replicas: number } & PodTemplate };
    const { args } = spec.template.spec.containers[0];
    const i = args.indexOf(`${OPTIONS.replicas.flag}=${String(spec.replicas)}`);
    const path = 'store.postgres.replicas';
    const replicas = this.once(path, () => this.late.number(path, { expression: valueAt(path) }));
    const argument = `/spec/template/spec/containers/0/args/${String(i)}`;
    object.addJsonPatch(
      JsonPatch.replace('/spec/replicas', replicas),
      JsonPatch.replace(argument, `${OPTIONS.replicas.flag}=${String(replicas)}`),
    );
  }

  private replace(object: ApiObject, path: string, source: HelmSource): void {
    const prop = `zones[] of ${object.kind}${path}`;
    object.addJsonPatch(
      JsonPatch.replace(
        path,
        this.once(prop, () => this.late.text(prop, source)),
      ),
    );
  }

  private once(prop: string, declare: () => string | number): string | number {
    const value = this.known.get(prop) ?? declare();
    this.known.set(prop, value);
    return value;
  }
}

interface PodTemplate {
  readonly template: { readonly spec: { readonly containers: readonly [{ readonly args: readonly string[] }] } };
}

const patchesOf = new WeakMap<LateBoundValues<HelmSource>, Patches>();

/**
 * Builds the tree of the templates: the installation, with the values of the release where the example zone stands. Synth has
 * to read zones and count Pods, so late-bound ones cannot be props; they are put on the finished objects.
 *
 * @param props - what the chart's values fill in
 * @param late - where late-bound values are declared
 * @returns a chart whose objects hold placeholders
 */
export function chartTree(props: InstallationProps, late: LateBoundValues<HelmSource>): Chart {
  const zones = EXAMPLE_ZONES.map((zone) => ({ ...zone, advertise: 'both' as const }));
  const chart = installation({ ...props, zones });
  const patches = patchesOf.get(late) ?? new Patches(late);
  patchesOf.set(late, patches);
  for (const construct of chart.node.findAll()) {
    if (!ApiObject.isApiObject(construct)) continue;
    patches.zones(construct);
    if (props.store?.postgres !== undefined) patches.replicas(construct);
  }
  return chart;
}
