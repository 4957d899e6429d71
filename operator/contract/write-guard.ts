import { celList, celText } from './cel-text';

/** Parts of the status of Services, and annotations, that front doors write. */
export interface ServiceWrites {
  /** Types of conditions. */
  readonly conditions: readonly string[];
  /** Annotation keys. */
  readonly keys: readonly string[];
  /** Beginnings of annotation keys. */
  readonly prefixes: readonly string[];
  /** Services whose ingress is written as well; absent: of none. */
  readonly ingress?: {
    /** Values of `spec.loadBalancerClass`. */
    readonly classes: readonly string[];
    /** True: those without a class too. */
    readonly classless: boolean;
    /** Types of conditions that are written with it. */
    readonly conditions: readonly string[];
  };
  /** Finalizers of older operators, which are taken off. */
  readonly finalizersOff?: readonly string[];
  /** True: Services become load balancers, and the copies that VirtualIPs made of them are deleted. */
  readonly isConverting?: boolean;
}

/** Writes of the operator's own service account, as far as its front doors and its store need them. */
export interface WriteGuardProps {
  /** Namespace of the service account and of its Secrets. */
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly services: ServiceWrites;
  /** Names of Secrets that may be written: those that front doors make once, those that they replace, and those of the store. */
  readonly secrets: {
    readonly made: readonly string[];
    readonly replaced: readonly string[];
    readonly ofStore: readonly string[];
  };
}

/** `spec` of a ValidatingAdmissionPolicy, as far as we use it. */
export interface WriteGuard {
  readonly failurePolicy: 'Fail';
  readonly matchConstraints: {
    readonly resourceRules: readonly {
      readonly apiGroups: readonly string[];
      readonly apiVersions: readonly string[];
      readonly operations: readonly string[];
      readonly resources: readonly string[];
      readonly scope: string;
    }[];
  };
  readonly matchConditions: readonly { readonly name: string; readonly expression: string }[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly {
    readonly expression: string;
    readonly message: string;
    readonly reason: string;
  }[];
}

/** Names of the variables of the policy that say whose ingress is written. */
export const INGRESS_CLASSES = 'ingressClasses';
/** See {@link INGRESS_CLASSES}. */
export const INGRESS_WITHOUT_CLASS = 'ingressWithoutClass';

const rule = (resources: readonly string[]) => ({
  apiGroups: [''],
  apiVersions: ['*'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources,
  scope: '*',
});

const same = (field: string): string => `object.${field} == oldObject.${field}`;
const ofSecrets = (test: string): string => `request.resource.resource != 'secrets' || (${test})`;

const CONVERTED_FIELDS = ['spec.?selector', 'spec.?externalIPs', 'spec.?externalName', 'spec.?clusterIPs'];
const CONVERTS = [
  "request.operation == 'UPDATE' && request.?subResource.orValue('') == ''",
  "object.spec.type == 'LoadBalancer'",
  ...CONVERTED_FIELDS.map(same),
].join(' && ');
const DELETES_COPY =
  "request.operation == 'DELETE' && oldObject.metadata.name.endsWith('-keepalived-clone') && oldObject.metadata.?ownerReferences.orValue([]).exists(o, o.kind == 'VirtualIP')";

const PATCHES_STATUS = "request.operation == 'UPDATE' && request.?subResource.orValue('') == 'status'";

const MIGRATES = `(${PATCHES_STATUS}) || (${CONVERTS}) || (${DELETES_COPY})`;
const whatServices = (isConverting: boolean): string =>
  isConverting
    ? 'the operator writes the status of Services, makes them load balancers, and deletes the copies of VirtualIPs alone'
    : 'the operator writes the status of Services alone';

/**
 * Writes the policy that holds the operator's service account to what the operator does, since rights on `services/status` and on
 * the creation of Secrets reach further: an owner reference deletes a Service, and a Secret of another type is a token. Each variable
 * depends on one setting of an installation alone, as the Helm chart needs it. Every expression was tried on an API server 1.36.3.
 *
 * The API server exempts webhook configurations from such policies; there the names in the role are all that limits.
 *
 * @param props - service account, and what doors and store write
 * @returns the spec of a ValidatingAdmissionPolicy
 */
export function writeGuard(props: WriteGuardProps): WriteGuard {
  const { namespace, serviceAccount, services, secrets } = props;
  const username = `system:serviceaccount:${namespace}:${serviceAccount}`;
  const { isConverting = false } = services;
  const notServices = "request.resource.resource != 'services'";
  const ofServices = (test: string): string => `${notServices} || (${test})`;
  // a deletion, which the first rule judges, has no object
  const ofStored = (test: string): string =>
    isConverting ? `${notServices} || request.operation == 'DELETE' || (${test})` : ofServices(test);
  const isOurs = `(k in variables.keys || variables.prefixes.exists(p, k.startsWith(p)))`;
  const [before, after] = ['variables.before', 'variables.after'];
  return {
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: [rule(['services', 'services/*']), rule(['secrets'])] },
    matchConditions: [{ name: 'the-operator', expression: `request.userInfo.username == ${celText(username)}` }],
    variables: [
      { name: 'keys', expression: celList(services.keys) },
      { name: 'prefixes', expression: celList(services.prefixes) },
      { name: 'conditions', expression: celList(services.conditions) },
      ...ingressVariables(services),
      { name: 'madeSecrets', expression: celList(secrets.made) },
      { name: 'replacedSecrets', expression: celList(secrets.replaced) },
      { name: 'storeSecrets', expression: celList(secrets.ofStore) },
      { name: 'before', expression: 'oldObject.metadata.?annotations.orValue({})' },
      { name: 'after', expression: 'object.metadata.?annotations.orValue({})' },
    ],
    validations: [
      validation(ofServices(isConverting ? MIGRATES : PATCHES_STATUS), whatServices(isConverting)),
      validation(
        // the cheap test first: most keys of an object stay as they are
        ofStored(
          `${after}.all(k, (k in ${before} && ${before}[k] == ${after}[k]) || ${isOurs}) && ${before}.all(k, k in ${after} || ${isOurs})`,
        ),
        'the operator writes no annotations of Services but its own',
      ),
      validation(
        ofStored([same('metadata.?labels'), finalizersKept(services), same('metadata.?ownerReferences')].join(' && ')),
        'the operator writes no labels, finalizers and owner references of Services',
      ),
      validation(
        ofStored(`${ingressKept(services)} && ${othersKept(services)}`),
        'the operator writes no status of Services but its own conditions',
      ),
      validation(
        ofSecrets(
          `request.operation != 'DELETE' && request.namespace == ${celText(namespace)} && object.type == 'Opaque' && object.metadata.?name.orValue('') in (variables.madeSecrets + variables.replacedSecrets + variables.storeSecrets)`,
        ),
        'the operator writes no Secrets but its own, of type Opaque',
      ),
      validation(
        ofSecrets(
          "request.operation == 'CREATE' ? !has(object.metadata.ownerReferences) : object.metadata.?ownerReferences == oldObject.metadata.?ownerReferences",
        ),
        'the operator writes no owner references of Secrets',
      ),
    ],
  };
}

function ingressVariables({ ingress, finalizersOff = [] }: ServiceWrites): WriteGuard['variables'] {
  return [
    ...(ingress === undefined
      ? []
      : [
          { name: INGRESS_CLASSES, expression: celList(ingress.classes) },
          { name: INGRESS_WITHOUT_CLASS, expression: String(ingress.classless) },
          { name: 'ingressConditions', expression: celList(ingress.conditions) },
        ]),
    ...(finalizersOff.length === 0 ? [] : [{ name: 'oldFinalizers', expression: celList(finalizersOff) }]),
  ];
}

// The class of the stored object counts: it cannot change while the type stays.
function ingressKept({ ingress }: ServiceWrites): string {
  const kept = same('status.?loadBalancer');
  if (ingress === undefined) return kept;
  const of = "oldObject.spec.?loadBalancerClass.orValue('')";
  return `(${kept} || (${of} == '' ? variables.${INGRESS_WITHOUT_CLASS} : ${of} in variables.${INGRESS_CLASSES}))`;
}

function finalizersKept({ finalizersOff = [] }: ServiceWrites): string {
  const kept = same('metadata.?finalizers');
  if (finalizersOff.length === 0) return kept;
  const [before, after] = ['oldObject', 'object'].map((each) => `${each}.metadata.?finalizers.orValue([])`);
  return `(${kept} || (${String(after)}.all(f, f in ${String(before)}) && ${String(before)}.all(f, f in ${String(after)} || f in variables.oldFinalizers)))`;
}

function othersKept({ ingress }: ServiceWrites): string {
  const own = ingress === undefined ? 'variables.conditions' : '(variables.conditions + variables.ingressConditions)';
  const of = (object: string): string => `${object}.?status.?conditions.orValue([]).filter(c, !(c.type in ${own}))`;
  return `${of('object')} == ${of('oldObject')}`;
}

const validation = (expression: string, message: string): WriteGuard['validations'][number] => ({
  expression,
  message,
  reason: 'Forbidden',
});
