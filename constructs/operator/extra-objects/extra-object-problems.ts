import { ApiObject, Lazy } from 'cdk8s';
import type { IConstruct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { isMap, listOf, mapOf, textOf } from '../../../operator/contract/loose-json';
import { quoteValue } from '../../../operator/contract/quote';
import type { Refusal } from '../../../operator/errors/outcome';
import { scopeOf } from '../../objects/kind-scopes';
import { identityOf, keyOf, type ObjectIdentity } from '../../objects/object-identity';
import { isWebhookConfiguration } from '../../objects/webhook-kinds';
import { someProps } from '../../props-kit/containers';
import { ANNOTATIONS, DNS_LABEL, LABELS } from '../../props-kit/kubernetes-values';
import { lazyText } from '../../props-kit/placeholder';
import { refused } from '../../props-kit/refused';
import { readProps, type Fault, type Rule } from '../../props-kit/rule';
import { formed } from '../../props-kit/values';
import { ExtraObjects, type Manifest } from './extra-objects';

/** Metadata of every kind, as far as it is looked at. */
interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const METADATA: Rule<Metadata> = someProps<Metadata, keyof Metadata>({ labels: LABELS, annotations: ANNOTATIONS });
const API_VERSION = formed(
  /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?v[a-z0-9]+$/u,
  'a version such as v1, or group and version such as apps/v1',
);
const KIND = formed(/^[A-Za-z][A-Za-z0-9]*$/u, 'a kind such as ConfigMap');
/** Names that the API server takes in the path of a URL. */
const NAME = /^(?!\.{1,2}$)[^\s/%]{1,253}$/u;

/**
 * Checks objects of the user.
 *
 * @param manifests - as given to the operator
 * @returns objects that no cluster takes as they are, and objects that are given twice
 */
export function extraObjectProblems(manifests: readonly Manifest[] = []): readonly Refusal[] {
  const first = new Map<string, number>();
  return manifests.flatMap((manifest, i): readonly Refusal[] => {
    const field = `extraObjects[${String(i)}]`;
    const late = lazyPlaces(field, manifest);
    if (late.length > 0) return late.map((at) => ({ code: 'settings/invalid', field: at, message: lazyText(at) }));
    const identity = identityOf(manifest);
    if (isList(manifest)) {
      return [refused(field, `"${identity.kind}" with items is a list of objects; give each object on its own`)];
    }
    const absent = absentKeys(manifest, identity);
    if (absent.length > 0) {
      return [refused(field, `the object has no ${absent.join(', ')}, which every object needs`)];
    }
    const key = keyOf(identity);
    const twin = first.get(key);
    if (twin === undefined) first.set(key, i);
    return [
      ...(twin === undefined
        ? []
        : [refused(field, `${identity.kind} "${identity.name}" is extraObjects[${String(twin)}] already`)]),
      ...metadataProblems(field, manifest, identity),
      ...bundleProblems(field, manifest, identity),
    ];
  });
}

// What an object is called decides where it stands; the rest of it is written as it is.
function lazyPlaces(field: string, manifest: Manifest): readonly string[] {
  const metadata = mapOf(manifest['metadata']);
  const places = {
    [field]: manifest,
    [`${field}.apiVersion`]: manifest['apiVersion'],
    [`${field}.kind`]: manifest['kind'],
    [`${field}.metadata`]: manifest['metadata'],
    [`${field}.metadata.name`]: metadata['name'],
    [`${field}.metadata.namespace`]: metadata['namespace'],
  };
  return Object.entries(places).flatMap(([at, value]) => (value instanceof Lazy ? [at] : []));
}

function absentKeys({ apiVersion }: Manifest, { kind, name }: ObjectIdentity): readonly string[] {
  const needs = { apiVersion: textOf(apiVersion), kind, 'metadata.name': name };
  return Object.entries(needs).flatMap(([key, value]) => (value.trim() === '' ? [key] : []));
}

// What `kubectl get -o yaml` writes; cdk8s would take it for one object.
const isList = (manifest: Manifest): boolean => {
  const kind = textOf(manifest['kind']);
  return (kind.endsWith('List') && 'items' in manifest) || kind.trim() === 'List';
};

const saidOf = ({ field = '', message }: Fault): Refusal => ({ code: 'settings/invalid', field, message });

function formProblems(field: string, manifest: Manifest): readonly Refusal[] {
  return [
    ...API_VERSION.judge(manifest['apiVersion'], `${field}.apiVersion`).faults,
    ...KIND.judge(manifest['kind'], `${field}.kind`).faults,
  ].map(saidOf);
}

function metadataProblems(field: string, manifest: Manifest, identity: ObjectIdentity): readonly Refusal[] {
  const { kind, name } = identity;
  const at = `${field}.metadata`;
  const namespace = mapOf(manifest['metadata'])['namespace'] ?? '';
  const { problems } = readProps(METADATA, manifest['metadata'], 'settings/invalid');
  const scope = scopeOf(identity);
  const what = `${kind} "${name}"`;
  return [
    ...formProblems(field, manifest),
    ...problems.map((problem) => refused(`${at}.${String(problem.field)}`, problem.message.replace(/^.*?: /u, ''))),
    ...(NAME.test(name)
      ? []
      : [refused(`${at}.name`, `${quoteValue(name)} is not allowed; allowed is a name without blanks, "/" and "%"`)]),
    ...(scope === 'namespace' && namespace === ''
      ? [
          refused(`${at}.namespace`, `${what} needs one, for example "${OPERATOR_NAMESPACE}" beside the operator`, {
            suggestion: OPERATOR_NAMESPACE,
          }),
        ]
      : []),
    ...(scope !== 'cluster' && namespace !== ''
      ? DNS_LABEL.judge(namespace, `${at}.namespace`).faults.map(saidOf)
      : []),
    ...(scope === 'cluster' && namespace !== ''
      ? [
          refused(
            `${at}.namespace`,
            `${JSON.stringify(namespace)} is not possible, since ${what} stands in no namespace; leave it out`,
          ),
        ]
      : []),
  ];
}

// Where another controller injects a CA, each apply would take it out again. An Issuer of cert-manager keeps its own.
function bundleProblems(field: string, manifest: Manifest, identity: ObjectIdentity): readonly Refusal[] {
  return bundlePaths(manifest, identity).map((path) =>
    refused(`${field}.${path}`, 'the injector of the CA and this manifest would overwrite each other; leave it out'),
  );
}

function bundlePaths(manifest: Manifest, { group, kind }: ObjectIdentity): readonly string[] {
  if (isWebhookConfiguration(manifest)) {
    return listOf(manifest['webhooks']).flatMap((webhook, i) =>
      hasBundle(webhook, 'clientConfig') ? [`webhooks[${String(i)}].clientConfig.caBundle`] : [],
    );
  }
  if (group === 'apiregistration.k8s.io') return hasBundle(manifest, 'spec') ? ['spec.caBundle'] : [];
  const conversion = ['spec', 'conversion', 'webhook', 'clientConfig'];
  const converts = kind === 'CustomResourceDefinition' && hasBundle(manifest, ...conversion);
  return converts ? [`${conversion.join('.')}.caBundle`] : [];
}

function hasBundle(value: unknown, ...steps: readonly string[]): boolean {
  const found = steps.reduce<unknown>((map, step) => (isMap(map) ? map[step] : undefined), value);
  return isMap(found) && 'caBundle' in found;
}

/**
 * Finds objects of the user that are the operator's own: whichever is applied last would win.
 *
 * @param operator - with all of its parts
 * @param manifests - as given to it
 * @returns one refusal for each, with the path of the operator's part
 */
export function ownObjectProblems(operator: IConstruct, manifests: readonly Manifest[] = []): readonly Refusal[] {
  if (manifests.length === 0) return [];
  const own = new Map(
    operator.node
      .findAll()
      .filter((each) => ApiObject.isApiObject(each) && !(each.node.scope instanceof ExtraObjects))
      .map((each) => [keyOf(identityOf(ApiObject.of(each).toJson() as object)), each.node.path]),
  );
  return manifests.flatMap((manifest, i) => {
    const identity = identityOf(manifest);
    const path = own.get(keyOf(identity));
    const field = `extraObjects[${String(i)}]`;
    return path === undefined
      ? []
      : [refused(field, `${identity.kind} "${identity.name}" is an object of the operator itself ("${path}")`)];
  });
}
