import { ApiObject, JsonPatch, type Chart } from 'cdk8s';

import { OPERATOR_NAMESPACE, WEBHOOK_NAMES } from '../../../operator/contract/group';
import { ASKS_CONDITION, asksExpression } from '../../../operator/contract/webhook-conditions';
import { INGRESS_CLASSES, INGRESS_WITHOUT_CLASS } from '../../../operator/contract/write-guard';
import { OPTIONS } from '../../../operator/settings/options';
import { NAMES } from '../../objects/names';
import { isWebhookConfiguration } from '../../objects/webhook-kinds';
import type { EndpointSecurity } from '../../operator/monitoring/endpoint-security';
import { RELATED_SYSTEM_NAMES } from '../../operator/process/servers';
import { storeKind } from '../../operator/store/store-shape';
import { ZONES_FILE } from '../../operator/zones/zones-config';
import type { LeftOut } from '../helm/helm-templates';
import type { HelmLoop, HelmSource } from '../helm/source';
import { valueAt } from '../helm/value-reader';
import type { LateBoundValues } from '../late-bound/late-bound';
import { HELPERS } from './chart-helpers';
import { OWNER_KIND_WORD } from './networks-values';
import { VIPS_CLASS_WORD, VIPS_FOREIGN_WORD } from './vips-values';
import { HAS_WEBHOOKS } from './egress-values';
import { EXAMPLE_ZONES, installation, type InstallationProps } from './installation';

const OWN_CA: readonly string[] = [NAMES.selfSignedIssuer, NAMES.caCertificate, NAMES.caIssuer];
const API = valueAt('ipamApi.expose');
const NETWORKS = valueAt('networks');
const METRICS = valueAt('monitoring.secure');
/** Where a server has no use for our CA. */
const ISSUED_BY_OTHERS: readonly string[] = [
  `(or (not ${API}.enabled) ${API}.certificateSecret ${API}.issuer.name)`,
  `(or (not ${METRICS}.enabled) ${METRICS}.certificateSecret)`,
  `(or (not ${NETWORKS}.enabled) (not ${NETWORKS}.grpc.enabled) ${NETWORKS}.grpc.certificateSecret)`,
];

/** Where something else than a value decides about whole objects. */
export const LEFT_OUT: readonly LeftOut[] = [
  {
    // `--create-namespace` has made it, and Helm does not adopt what another made
    condition: `eq $.Release.Namespace "${OPERATOR_NAMESPACE}"`,
    leavesOut: ({ kind }) => kind === 'Namespace',
  },
  {
    // nothing without webhooks has a use for it but a server that has no certificate of its own
    condition: `and (not (${HAS_WEBHOOKS})) (or (eq ${valueAt('certificates')} "self-managed") (and ${ISSUED_BY_OTHERS.join(' ')}))`,
    leavesOut: ({ metadata }) => OWN_CA.includes(metadata.name),
  },
];

const EACH_ZONE: HelmLoop = { variable: '$zone', over: '$.Values.zones' };
const eachAdvertisement = (kind: 'l2' | 'bgp'): HelmLoop => ({
  variable: '$i, $settings',
  over: `include "${HELPERS.advertisements}" (list "${kind}" $zone) | fromJsonArray`,
  outer: EACH_ZONE,
});
const ADVERTISEMENTS = { L2Advertisement: 'l2', BGPAdvertisement: 'bgp' } as const;

const POD = '/spec/template/spec';
const listFrom = (helper: string): string => `include "${helper}" $ | fromJsonArray`;

interface DeploymentSpec {
  readonly template: {
    readonly spec: {
      readonly terminationGracePeriodSeconds: number;
      readonly containers: readonly [{ readonly args: readonly string[]; readonly env?: unknown }];
    };
  };
}
interface PolicySpec {
  readonly egress: readonly unknown[];
}
interface PolicyVariables {
  readonly variables?: readonly { readonly name: string }[];
}
interface WebhookFields {
  readonly webhooks: readonly [
    { readonly matchConditions: readonly { readonly name: string; readonly expression: string }[] },
  ];
}
const specOf = (object: ApiObject): unknown => (object.toJson() as { readonly spec: unknown }).spec;

/**
 * Puts late-bound values on finished objects, in each tree the same ones: what synth parses, calculates with or looks at
 * cannot be late-bound in a prop.
 */
class Patches {
  readonly #late: LateBoundValues<HelmSource>;
  readonly #known = new Map<string, unknown>();

  constructor(late: LateBoundValues<HelmSource>) {
    this.#late = late;
  }

  patch(object: ApiObject, props: InstallationProps): void {
    this.#zones(object);
    if (object.kind === 'Deployment') this.#process(object, props);
    if (object.kind === 'NetworkPolicy') this.#networkPolicy(object, props);
    if (object.kind === 'ValidatingAdmissionPolicy' && props.vips !== undefined) this.#guard(object);
    if (isWebhookConfiguration(object)) this.#webhooks(object, props);
    this.#single(object);
  }

  // objects that are alike in every shape
  #single(object: ApiObject): void {
    if (object.kind === 'Certificate' && object.name === NAMES.ipamApiCertificate) this.#issuer(object);
    if (object.kind === 'ClusterRole' && object.name === NAMES.networksOwnersRole)
      this.#put(object, '/rules', { expression: listFrom(HELPERS.ownerRules) });
    if (object.kind === 'ServiceMonitor') this.#endpoint(object);
  }

  #endpoint(object: ApiObject): void {
    const security = `(include "${HELPERS.endpointSecurity}" $ | fromJson)`;
    for (const field of [
      'scheme',
      'tlsConfig',
      'authorization',
      'bearerTokenFile',
    ] satisfies (keyof EndpointSecurity)[])
      this.#put(object, `/spec/endpoints/0/${field}`, {
        expression: `get ${security} "${field}"`,
        when: `hasKey ${security} "${field}"`,
      });
  }

  #webhooks(object: ApiObject, props: InstallationProps): void {
    if (object.name === WEBHOOK_NAMES.egressConfiguration) {
      this.#egressWebhooks(object);
      return;
    }
    this.#classes(object, props);
    this.#asks(object);
  }

  #process(object: ApiObject, props: InstallationProps): void {
    this.#deployment(object, props);
    this.#lists(object, props);
    if (props.vips !== undefined) this.#vipsLists(object);
    if (props.networks !== undefined) this.#owners(object);
  }

  // each zone of the release, where the example zone stands
  #zones(object: ApiObject): void {
    if (object.kind === 'ConfigMap' && object.name === NAMES.zonesConfigMap) {
      this.#put(object, `/data/${ZONES_FILE}`, { expression: `include "${HELPERS.zones}" $` });
    } else if (object.kind === 'IPAddressPool') {
      const expression = `include "${HELPERS.pool}" (list $ $zone) | fromJsonArray`;
      this.#put(object, '/metadata/name', { expression: '$zone.name', within: EACH_ZONE });
      this.#put(object, '/spec/addresses', { expression, within: EACH_ZONE });
    } else if (object.kind in ADVERTISEMENTS) {
      const within = eachAdvertisement(ADVERTISEMENTS[object.kind as keyof typeof ADVERTISEMENTS]);
      const name = 'ternary $zone.name (printf "%s.%d" $zone.name (add1 $i)) (eq $i 0)';
      this.#put(object, '/metadata/name', { expression: name, within });
      const spec = 'merge (dict "ipAddressPools" (list $zone.name)) $settings';
      this.#put(object, '/spec', { expression: spec, within });
    }
  }

  #deployment(object: ApiObject, { store, replicas, settings }: InstallationProps): void {
    const spec = specOf(object) as DeploymentSpec;
    const { terminationGracePeriodSeconds: grace, containers } = spec.template.spec;
    const delay = OPTIONS.shutdownDelaySeconds.default;
    this.#put(object, `${POD}/terminationGracePeriodSeconds`, {
      expression: `add ${String(grace - delay)} (int ${valueAt('settings.shutdownDelaySeconds')})`,
    });
    this.#putList(object, `${POD}/topologySpreadConstraints`, {
      carrier: (topologyKey) => ({ topologyKey }),
      expression: listFrom(HELPERS.spread),
      when: `ne (include "${HELPERS.spread}" $) "[]"`,
    });
    if (containers[0].env !== undefined) {
      this.#putList(object, `${POD}/containers/0/env`, {
        carrier: (name) => ({ name }),
        expression: listFrom(HELPERS.variables),
      });
    }
    const shutdown = 'settings.shutdownDelaySeconds';
    if (settings?.shutdownDelaySeconds !== undefined)
      this.#argument(object, OPTIONS.shutdownDelaySeconds.flag, shutdown);
    const kind = storeKind(store);
    if (kind === 'sqlite' || replicas !== undefined) return;
    // the shape of several Pods has its default here
    const path = `store.${kind}.replicas`;
    object.addJsonPatch(JsonPatch.replace('/spec/replicas', this.#number(path)));
    this.#argument(object, OPTIONS.replicas.flag, path);
  }

  #argument(object: ApiObject, flag: string, path: string): void {
    const { args } = (specOf(object) as DeploymentSpec).template.spec.containers[0];
    const i = args.findIndex((each) => each.startsWith(`${flag}=`));
    object.addJsonPatch(
      JsonPatch.replace(`${POD}/containers/0/args/${String(i)}`, `${flag}=${String(this.#number(path))}`),
    );
  }

  #number(path: string): number {
    return this.#once(path, () => this.#late.number(path, { expression: valueAt(path) }));
  }

  // the last egress rules are for the store, where it is outside of the Pod, and for the related systems
  #networkPolicy(object: ApiObject, props: InstallationProps): void {
    const kind = storeKind(props.store);
    const systems = RELATED_SYSTEM_NAMES.filter((name) => props[name] !== undefined);
    const servers = [...(kind === 'postgres' || kind === 'remote' ? ['store'] : []), ...systems];
    const first = (specOf(object) as PolicySpec).egress.length - servers.length;
    servers.forEach((name, i) => {
      const rule = `/spec/egress/${String(first + i)}`;
      const cidrs = valueAt(`networkPolicy.${name}Cidrs`);
      this.#putList(object, `${rule}/to`, {
        carrier: (cidr) => ({ ipBlock: { cidr } }),
        expression: `include "${HELPERS.blocks}" ${cidrs} | fromJsonArray`,
        when: cidrs,
        prop: `${name}Cidrs`,
      });
      if (name === 'store' && kind !== 'remote') return;
      const url = valueAt(name === 'store' ? 'store.remote.url' : `${name}.url`);
      const expression = `int (include "${HELPERS.port}" ${url})`;
      this.#put(object, `${rule}/ports/0/port/value`, { expression, prop: `port of ${name}` });
    });
  }

  #issuer(object: ApiObject): void {
    const { issuerRef } = specOf(object) as { readonly issuerRef: Readonly<Record<string, string>> };
    const own = Object.entries(issuerRef).flatMap(([key, value]) => [JSON.stringify(key), JSON.stringify(value)]);
    const given = valueAt('ipamApi.expose.issuer');
    this.#put(object, '/spec/issuerRef', {
      expression: `ternary (dict ${own.join(' ')}) ${given} (empty ${given}.name)`,
    });
  }

  // CEL has the values as texts
  #guard(object: ApiObject): void {
    const { variables = [] } = specOf(object) as PolicyVariables;
    const classes = valueAt('vips.loadBalancerClasses');
    const expressions: Readonly<Record<string, string>> = {
      [INGRESS_CLASSES]: `printf "[%s]" (ternary "" (printf "'%s'" (join "', '" ${classes})) (empty ${classes}))`,
      [INGRESS_WITHOUT_CLASS]: `toString ${valueAt('vips.classless')}`,
    };
    variables.forEach(({ name }, i) => {
      const expression = expressions[name];
      if (expression === undefined) return;
      this.#put(object, `/spec/variables/${String(i)}/expression`, { expression, prop: `variable ${name}` });
    });
  }

  // a list inside of a text, where one text per item would stand
  #joined(text: string, item: string, source: HelmSource): string {
    const path = `${source.expression} in a text`;
    return text.replace(
      item,
      this.#once(path, () => this.#late.text(path, source)),
    );
  }

  #classes(object: ApiObject, { services }: InstallationProps): void {
    const [item] = services?.loadBalancerClasses ?? [];
    if (item === undefined) return;
    const { matchConditions } = (object.toJson() as WebhookFields).webhooks[0];
    const i = matchConditions.findIndex(({ expression }) => expression.includes(item));
    const quoted = `join "', '" ${valueAt('services.loadBalancerClasses')}`;
    const expression = this.#joined(matchConditions[i]?.expression ?? '', item, { expression: quoted });
    object.addJsonPatch(JsonPatch.replace(`/webhooks/0/matchConditions/${String(i)}/expression`, expression));
  }

  #egressWebhooks(object: ApiObject): void {
    const { webhooks } = object.toJson() as { readonly webhooks: readonly { readonly name: string }[] };
    const i = webhooks.findIndex(({ name }) => name === WEBHOOK_NAMES.namespaces);
    this.#put(object, `/webhooks/${String(i)}/failurePolicy`, {
      expression: `ternary "Fail" "Ignore" (eq ${valueAt('egress.whenUnavailable')} "deny")`,
    });
  }

  // whether there is a default zone is a value of the release
  #asks(object: ApiObject): void {
    const { matchConditions } = (object.toJson() as WebhookFields).webhooks[0];
    const i = matchConditions.findIndex(({ name }) => name === ASKS_CONDITION);
    const texts = [false, true].map((hasDefaultZone) => `\`${asksExpression(hasDefaultZone)}\``).join(' ');
    this.#put(object, `/webhooks/0/matchConditions/${String(i)}/expression`, {
      expression: `ternary ${texts} (empty ${valueAt('services.defaultZone')})`,
      prop: 'which Services ask',
    });
  }

  #lists(object: ApiObject, { services, netbox }: InstallationProps): void {
    if (netbox?.fields !== undefined) this.#netboxFields(object);
    const { args } = (specOf(object) as DeploymentSpec).template.spec.containers[0];
    for (const name of ['loadBalancerClasses', 'occupiedClasses', 'excludedNamespaces'] as const) {
      const [item] = services?.[name] ?? [];
      const i = item === undefined ? -1 : args.findIndex((each) => each.endsWith(`=${item}`));
      if (item === undefined || i < 0) continue;
      const argument = this.#joined(args[i] ?? '', item, {
        expression: `join "," ${valueAt(`services.${name}`)}`,
      });
      object.addJsonPatch(JsonPatch.replace(`${POD}/containers/0/args/${String(i)}`, argument));
    }
  }

  #vipsLists(object: ApiObject): void {
    const classes = { expression: `join "," ${valueAt('vips.loadBalancerClasses')}` };
    this.#listArgument(object, `${OPTIONS.vipsClasses.flag}=${VIPS_CLASS_WORD}`, [VIPS_CLASS_WORD, classes]);
    const at = valueAt('vips.foreignAnnotations');
    // none is the default, of which nothing is said
    const foreign = { expression: `join "," ${at}`, when: at };
    this.#listArgument(object, `${OPTIONS.vipsForeignAnnotations.flag}=${VIPS_FOREIGN_WORD}`, [
      VIPS_FOREIGN_WORD,
      foreign,
    ]);
  }

  #owners(object: ApiObject): void {
    const resources = { expression: `join "," ${valueAt('networks.ownerKinds')}` };
    const argument = `${OPTIONS.networksOwnerKinds.flag}=${OWNER_KIND_WORD}`;
    this.#listArgument(object, argument, [OWNER_KIND_WORD, resources]);
  }

  #listArgument(object: ApiObject, argument: string, [item, source]: readonly [string, HelmSource]): void {
    const { args } = (specOf(object) as DeploymentSpec).template.spec.containers[0];
    const joined = this.#joined(argument, item, source);
    object.addJsonPatch(JsonPatch.replace(`${POD}/containers/0/args/${String(args.indexOf(argument))}`, joined));
  }

  #netboxFields(object: ApiObject): void {
    const { args } = (specOf(object) as DeploymentSpec).template.spec.containers[0];
    const i = args.findIndex((each) => each.startsWith(`${OPTIONS.netboxFields.flag}=`));
    const prop = 'netbox.fields';
    const fields = this.#once(prop, () =>
      this.#late.text(prop, { expression: `include "${HELPERS.netboxFields}" $`, when: valueAt(prop) }),
    );
    object.addJsonPatch(
      JsonPatch.replace(`${POD}/containers/0/args/${String(i)}`, `${OPTIONS.netboxFields.flag}=${fields}`),
    );
  }

  // what stands there is replaced
  #put(object: ApiObject, path: string, { prop = propOf(object, path), ...source }: Put): void {
    object.addJsonPatch(
      JsonPatch.add(
        path,
        this.#once(prop, () => this.#late.text(prop, source)),
      ),
    );
  }

  // typed objects are written by code that walks through lists and knows its fields; one of them carries the whole list
  #putList(object: ApiObject, path: string, { carrier, prop = propOf(object, path), ...source }: PutList): void {
    object.addJsonPatch(JsonPatch.add(path, [this.#once(prop, () => this.#late.object(prop, carrier, source))]));
  }

  #once<T>(prop: string, declare: () => T): T {
    if (!this.#known.has(prop)) this.#known.set(prop, declare());
    return this.#known.get(prop) as T;
  }
}

type Carrier = (text: string) => object;
/** A value, and its name where it stands at another place in another shape. */
type Put = HelmSource & { readonly prop?: string };
type PutList = Put & { readonly carrier: Carrier };
const propOf = ({ kind, name }: ApiObject, path: string): string => `${kind}/${name}${path}`;

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
  const zones =
    storeKind(props.store) === 'objects' ? [] : EXAMPLE_ZONES.map((zone) => ({ ...zone, advertise: 'both' as const }));
  const chart = installation({ ...props, zones });
  const patches = patchesOf.get(late) ?? new Patches(late);
  patchesOf.set(late, patches);
  for (const construct of chart.node.findAll()) {
    if (ApiObject.isApiObject(construct)) patches.patch(construct, props);
  }
  return chart;
}
