declare module "virtual:recording" {
  const recording: import("../recorded.ts").Recorded[];
  export default recording;
}
