// The plugin's entry, for `validations` in cdk8s.yaml; the CLI makes one object of each class that is named there.
export { PodSecurityRestricted, type PodSecurityRestrictedProps } from './pod-security-restricted';
export { PoolsDisjoint } from './pools-disjoint';
export { WebhookSafety } from './webhook-safety';
