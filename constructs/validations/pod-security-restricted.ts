import { reportTo, type Check, type PlacedObject, type ValidationContext, type Violation } from './plugin';
import { mapOf } from './fields';
import { POD_SECURITY_RULES } from './pod-security-rules';
import { podSpecOf } from './pod-specs';

/** Settings of {@link PodSecurityRestricted}. */
export interface PodSecurityRestrictedProps {
  /**
   * Namespaces whose Pods are not looked at, for example that of a CNI.
   *
   * @default - none
   */
  readonly exemptNamespaces?: readonly string[];
}

function violationsOf(placed: PlacedObject): readonly Violation[] {
  const pod = podSpecOf(placed.object);
  if (pod === undefined) return [];
  const isWindows = mapOf(pod.spec['os'])['name'] === 'windows';
  return POD_SECURITY_RULES.flatMap(({ rule, recommendation, fix, linuxOnly = false, locations }) => {
    const found = linuxOnly && isWindows ? [] : locations(pod);
    return found.length === 0 ? [] : [{ rule, recommendation, fix, placed, locations: found }];
  });
}

/**
 * Finds Pods that the Pod Security level `restricted` refuses.
 *
 * @param props - what is left out
 * @returns what looks at every Pod and Pod template of an app
 */
export function podSecurityCheck({ exemptNamespaces = [] }: PodSecurityRestrictedProps = {}): Check {
  return (objects) =>
    objects.filter(({ object }) => !exemptNamespaces.includes(object.metadata.namespace ?? '')).flatMap(violationsOf);
}

/** Fails `cdk8s synth` on Pods that the Pod Security level `restricted` refuses. */
export class PodSecurityRestricted {
  private readonly check: Check;

  /**
   * Takes the settings of `cdk8s.yaml`.
   *
   * @param props - `properties` there
   */
  constructor(props: PodSecurityRestrictedProps = {}) {
    this.check = podSecurityCheck(props);
  }

  /**
   * Runs in the CLI of cdk8s.
   *
   * @param context - files and report
   * @returns when the report is handed in
   */
  validate(context: ValidationContext): Promise<void> {
    reportTo(context, PodSecurityRestricted.name, this.check);
    return Promise.resolve();
  }
}
