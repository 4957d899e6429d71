import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import type { Refusal } from '../operator/errors/outcome';
import type { IpamServiceProps } from './ipam-service-props';
import { allAnnotations } from './service-parts/annotations';
import { serviceProblems } from './service-parts/problems';
import { serviceSpec } from './service-parts/spec';

/**
 * A Service of type LoadBalancer with a typed wish for its addresses.
 *
 * What the webhook would refuse fails at synth, with the webhook's message and the path of this construct.
 */
export class IpamService extends Construct {
  /** The Service itself, for dependencies and patches. */
  readonly service: k8s.KubeService;

  /**
   * Declares the Service.
   *
   * @param scope - a chart, or a construct inside of one
   * @param id - id within `scope`; the default of `props.name`
   * @param props - wish and spec of the Service
   */
  constructor(scope: Construct, id: string, props: IpamServiceProps) {
    super(scope, id);
    this.service = new k8s.KubeService(this, 'Resource', {
      metadata: {
        name: props.name ?? id,
        annotations: allAnnotations(props),
        ...(props.namespace === undefined ? {} : { namespace: props.namespace }),
        ...(props.labels === undefined ? {} : { labels: props.labels }),
      },
      spec: serviceSpec(props),
    });
    this.node.addValidation({ validate: () => ipamServiceProblems(props).map(({ message }) => message) });
  }
}

/**
 * Checks the props of a Service without building anything; synth runs the same check.
 *
 * @param props - as given to {@link IpamService}
 * @returns everything that the webhook would refuse, as it would say it; empty when nothing is wrong
 */
export function ipamServiceProblems(props: IpamServiceProps): readonly Refusal[] {
  return serviceProblems(props);
}
