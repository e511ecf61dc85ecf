/*
 * unfold's frame has no landmarks: what stands beside the sidebar is the main one.
 */
document.addEventListener("DOMContentLoaded", () => {
  document.getElementById("main")?.setAttribute("role", "main");
});
