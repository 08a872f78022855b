declare module "virtual:recording" {
  const recording: import("../recording.ts").Recorded[];
  export default recording;
}
