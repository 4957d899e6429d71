import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import type { Refusal } from '../../operator/errors/outcome';
import { registerObject, takenNameProblems, type ObjectOfApp } from '../app/app-objects';
import { refuseForeignTwins } from '../app/foreign-objects';
import { writeAppForEveryReader } from '../app/portable-yaml';
import { placeFor } from '../props-kit/place';
import { readProps, type ReadProps } from '../props-kit/rule';
import { allAnnotations } from './annotations';
import { declareSecret } from './generated-secret';
import type { IAddressOwner, IpamServiceProps, SharedTerms } from './ipam-service-props';
import { joinProblems, sharedTermsOf } from './joined';
import { announcementOf, withZonesOfApp } from './operator-of-service';
import { resolvedProps, serviceProblems } from './service-problems';
import { SERVICE } from './service-rules';
import { serviceSpec } from './service-spec';
import { clusterOf, noteWishes, twinProblems } from './twins';

/**
 * A Service of type LoadBalancer with a typed wish for its addresses.
 *
 * A Service that the webhook would refuse fails at synth, with the webhook's message and the path of this construct.
 */
export class IpamService extends Construct implements IAddressOwner {
  /** The Service itself, for dependencies and patches. */
  readonly service: k8s.KubeService;
  /** Terms that another Service must have too to share the address, for {@link IpamServiceProps.joins}. */
  readonly sharedTerms: SharedTerms;
  readonly #named: readonly ObjectOfApp[];
  #ownProblems: readonly Refusal[] | undefined;

  /**
   * Declares the Service, and its Secret where one is to be made.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`; the default of `props.name`
   * @param props - wish and spec of the Service
   */
  constructor(scope: Construct, id: string, props: IpamServiceProps) {
    super(placeFor(scope, id, 'wish/malformed'), id);
    const read = readProps(SERVICE, props, 'wish/malformed');
    const { valid } = read;
    const { namespace, labels, generatedSecret, joins } = valid;
    const name = valid.name ?? id;
    const resolved = resolvedProps(valid, name);
    const place = { ...(namespace === undefined ? {} : { namespace }), ...(labels === undefined ? {} : { labels }) };
    this.service = new k8s.KubeService(this, 'Resource', {
      metadata: { name, annotations: allAnnotations(resolved), ...place },
      spec: serviceSpec(resolved),
    });
    this.sharedTerms = sharedTermsOf(resolved, this.service);
    noteWishes(this, resolved);
    const secret =
      generatedSecret === undefined
        ? undefined
        : declareSecret(this, generatedSecret, { name: resolved.secret ?? name, ...place });
    const common = { construct: this, namespace: this.service.metadata.namespace ?? '', cluster: clusterOf(valid) };
    this.#named = [
      { ...common, object: this.service, field: 'name', code: 'wish/malformed' },
      ...(secret === undefined
        ? []
        : [{ ...common, object: secret, field: 'generatedSecret.name', code: 'secret/invalid' } as const]),
    ];
    this.#named.forEach(registerObject);
    refuseForeignTwins(this, clusterOf(valid));
    // the webhook reads the Secret, and asks for the holder of the address, when the Service arrives
    this.service.addDependency(
      ...(secret === undefined ? [] : [secret]),
      ...(joins === undefined ? [] : [joins.sharedTerms.service]),
      ...announcementOf(this, resolved),
    );
    writeAppForEveryReader(this);
    this.node.addValidation({ validate: () => this.#problems(read, resolved).map(({ message }) => message) });
  }

  #problems(read: ReadProps<IpamServiceProps>, resolved: IpamServiceProps): readonly Refusal[] {
    const { name, metadata } = this.service;
    // synth validates each construct once for its app and once for its chart
    this.#ownProblems ??= serviceProblems(
      { ...read, valid: withZonesOfApp(this, read.valid) },
      { name, namespace: metadata.namespace },
    );
    const taken = this.#named.flatMap(takenNameProblems);
    return [...this.#ownProblems, ...joinProblems(resolved, this.service), ...twinProblems(this), ...taken];
  }
}

/**
 * Checks the props of a Service without building anything; synth runs the same check, and that of `joins` too.
 *
 * @param props - as given to {@link IpamService}
 * @returns everything that the webhook would refuse, as it would say it; empty when nothing is wrong
 */
export function ipamServiceProblems(props: IpamServiceProps): readonly Refusal[] {
  const read = readProps(SERVICE, props, 'wish/malformed');
  const { name = 'service', namespace } = read.valid;
  return serviceProblems(read, { name, namespace });
}
